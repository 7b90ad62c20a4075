import { describe, expect, test } from 'vitest'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { runConformance, type ConformanceHarness } from '../conformance/index.ts'
import { passedOn } from '../wrappers/mend-corrupt.ts'
import { createStorage, wrapStorage } from './managed-storage.ts'
import type { DriverContent, StorageDriver } from './storage-driver.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const READING_IS_USE: readonly string[] = [
  'stat/last-use',
  'undo/keeps-a-retrieved-entry',
  'age/retrieving-refreshes',
  'open/refreshes-age',
  'quota/evicts-least-recently-used',
]

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** What the documentation shows: four methods over a map. */
function fourMethods(): StorageDriver {
  const entries = new Map<string, DriverContent>()
  return {
    async write(id, chunks, info) {
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk.slice())
      const content = new Uint8Array(Buffer.concat(parts))
      entries.set(id, { content, info: { ...info, size: content.length } })
    },
    async read(id, range) {
      const entry = entries.get(id)
      if (entry === undefined) return undefined
      const { offset, length } = range ?? { offset: 0, length: entry.content.length }
      return { ...entry, content: entry.content.slice(offset, offset + length) }
    },
    remove: async (id) => entries.delete(id),
    async *list(prefix) {
      for (const [id, { info }] of entries) if (id.startsWith(prefix)) yield { id, info }
    },
  }
}

describe('createStorage', () => {
  test('makes a conforming storage of a driver with four methods', { timeout: 60_000 }, async () => {
    const harness: ConformanceHarness = {
      name: 'four methods',
      settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'],
      knownGaps: Object.fromEntries(READING_IS_USE.map((id) => [id, 'a driver without touch() cannot note a use'])),
      async create(settings) {
        let time = Date.UTC(2026, 0, 1)
        const clock = { now: () => time, advance: (milliseconds: number) => void (time += milliseconds) }
        const storage = createStorage(fourMethods(), { ...settings, now: clock.now })
        return { storage, powers: { clock, maxTombstones: 1_000 } }
      },
    }
    const large = ['content/round-trip-5-mb', 'content/round-trip-20-mb', 'stream/20-mb', 'range/of-large-content']
    const report = await runConformance(harness, { filter: (id) => !large.includes(id) })
    expect(report.results.filter(({ status }) => status === 'failed' || status === 'gap-closed')).toEqual([])
    expect(report.results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(100)
  })

  test.each(['write', 'read', 'remove', 'list'] as const)('refuses a driver without %s()', (method) => {
    const driver = { ...fourMethods(), [method]: undefined } as unknown as StorageDriver
    expect(() => createStorage(driver)).toThrow(TypeError)
    expect(() => createStorage(driver)).toThrow(`${method}()`)
  })

  test('refuses a value that is not a driver, and invalid options', () => {
    expect(() => createStorage(undefined as unknown as StorageDriver)).toThrow(TypeError)
    expect(() => createStorage(fourMethods(), { ttlMs: -1 })).toThrow('ttlMs')
  })

  test('has locate only if the driver has it', () => {
    expect(createStorage(fourMethods()).locate).toBeUndefined()
    expect(createStorage(new TinyDriver(new TinyDisk(Date.now))).scope('a').locate).toBeTypeOf('function')
  })

  test('lists only entries of the scope, even if the driver lists others', async () => {
    const driver = fourMethods()
    const list = driver.list.bind(driver)
    const careless: StorageDriver = { ...driver, list: () => list('') }
    const storage = createStorage(careless)
    await storage.scope('b').store('call_1', bytes('b'))
    await storage.store('call_1', bytes('unscoped'))
    expect(await collect(storage.scope('a').list())).toEqual([])
    expect(await storage.scope('a').clear()).toBe(0)
    expect(await collect(storage.list())).toHaveLength(2)
  })

  test('skips listed items that are not entries', async () => {
    const driver = fourMethods()
    const foreign: StorageDriver = {
      ...driver,
      async *list() {
        const info = { key: '', contentType: 'text/plain', size: 0, storedAt: 0, lastUsedAt: 0, metadata: {} }
        yield { id: '.gitignore', info }
        yield { id: 'a/README.md', info }
      },
    }
    expect(await collect(createStorage(foreign).list())).toEqual([])
  })

  test.each([
    ['too few bytes', 1],
    ['too many bytes', 9],
  ])('takes %s from a driver for corrupt content', async (_what, size) => {
    const driver = fourMethods()
    const read = driver.read.bind(driver)
    const storage = createStorage({
      ...driver,
      async read(id, range) {
        const found = await read(id, range)
        return found === undefined ? undefined : { ...found, content: new Uint8Array(size) }
      },
    })
    const reference = await storage.store('call_1', bytes('content'))
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt', reference })
    const range = storage.retrieveRange(reference, { offset: 0, length: 3 })
    await expect(range).rejects.toMatchObject({ code: 'corrupt', reference })
  })

  test('returns content even if its use could not be recorded', async () => {
    const disk = new TinyDisk(Date.now)
    const driver = new TinyDriver(disk)
    const storage = createStorage(driver)
    const reference = await storage.store('call_1', bytes('content'))
    driver.touch = () => Promise.reject(new Error('EROFS: read-only file system'))
    await expect(storage.retrieve(reference)).resolves.toMatchObject({ content: bytes('content') })
  })

  test('does not disturb a later store if one is aborted', async () => {
    const storage = createStorage(fourMethods())
    const controller = new AbortController()
    const aborted = storage.store('call_1', bytes('content'), 'text/plain', { signal: controller.signal })
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    const reference = await storage.store('call_1', bytes('content'))
    await expect(storage.retrieve(reference)).resolves.toMatchObject({ content: bytes('content') })
  })
})

const same = (driver: StorageDriver): StorageDriver =>
  passedOn(driver, ['write', 'read', 'remove', 'list']) as StorageDriver

describe('wrapStorage', () => {
  test('keeps references, settings and the clock', async () => {
    let time = 1_000
    const inner = tinyStorage({ ttlMs: 100, now: () => time })
    const wrapped = wrapStorage(inner, 'compressed', same)
    const reference = await wrapped.scope('a').store('call', new Uint8Array(3))
    expect(await inner.scope('a').store('call', new Uint8Array(3))).toBe(reference)
    // Storing again was one more use, a millisecond later.
    expect((await wrapped.scope('a').stat(reference)).expiresAt).toBe(1_101)
    time = 1_200
    await expect(wrapped.scope('a').retrieve(reference)).rejects.toMatchObject({ code: 'evicted' })
  })

  test.each([
    ['a scope', () => tinyStorage().scope('a'), /A scope cannot be compressed alone/],
    ['a storage of somebody else', () => ({ store() {}, retrieve() {} }), /made with this copy of @spillway\/core/],
    ['nothing', () => undefined, /made with this copy/],
    ['a text', () => 'redis://', /made with this copy/],
  ])('refuses %s', (_name, storage, message) => {
    expect(() => wrapStorage(storage() as never, 'compressed', same)).toThrow(TypeError)
    expect(() => wrapStorage(storage() as never, 'compressed', same)).toThrow(message)
  })

  test('encrypts what was compressed, and nothing else', () => {
    const encrypted = wrapStorage(tinyStorage(), 'encrypted', same)
    const both = wrapStorage(encrypted, 'compressed', same)
    const compressed = wrapStorage(tinyStorage(), 'compressed', same)
    expect(() => wrapStorage(compressed, 'encrypted', same)).toThrow('Write compressed(encrypted(storage, { key }))')
    expect(() => wrapStorage(both, 'compressed', same)).toThrow('already. Call compressed() once')
    expect(() => wrapStorage(both, 'encrypted', same)).toThrow('already. Call encrypted() once')
  })
})

describe('passedOn', () => {
  test('gives what there is, bound to the driver', async () => {
    const driver = new TinyDriver(new TinyDisk(() => 0))
    const passed = passedOn(driver, ['stat', 'open', 'refreshMs', 'touchFirstBytes', 'write'])
    expect(Object.keys(passed)).toEqual(['stat', 'refreshMs', 'write'])
    const storage = createStorage(driver)
    const reference = await storage.store('call', new Uint8Array(3))
    expect(await passed.stat?.(reference)).toMatchObject({ size: 3 })
  })
})
