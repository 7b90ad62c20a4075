import { describe, expect, test } from 'vitest'
import { runConformance, type ConformanceHarness } from '../conformance/index.ts'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { createStorage } from './create-storage.ts'
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
