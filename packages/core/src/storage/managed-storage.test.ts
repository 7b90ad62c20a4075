import { describe, expect, test } from 'vitest'
import { fourMethods } from '../../test/four-methods.ts'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { runConformance, type ConformanceHarness } from '../conformance/index.ts'
import { bytes, collect, stream } from '../conformance/sample.ts'
import { completeDriver, createStorage, wrapStorage } from './managed-storage.ts'
import type { StorageDriver, CompleteDriver, WrapperKind } from './storage-driver.ts'

const READING_IS_USE: readonly string[] = [
  'stat/last-use',
  'undo/every-use',
  'age/every-use',
  'quota/every-use',
  'quota/evicts-least-recently-used',
]

describe('createStorage', () => {
  test('makes a conforming storage from a driver with four methods', async () => {
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
    const large = /-mb$|^range\/of-large-content$|\/at-boundaries$|\/beyond-one-page$/
    const report = await runConformance(harness, { filter: (id) => !large.test(id) })
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
  ])('reports %s from a driver as corrupt content', async (_what, size) => {
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

  test('does not disturb a later store if an earlier store is aborted', async () => {
    const storage = createStorage(fourMethods())
    const controller = new AbortController()
    const aborted = storage.store('call_1', bytes('content'), 'text/plain', { signal: controller.signal })
    controller.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
    const reference = await storage.store('call_1', bytes('content'))
    await expect(storage.retrieve(reference)).resolves.toMatchObject({ content: bytes('content') })
  })
})

const layer =
  (kind: WrapperKind) =>
  (driver: CompleteDriver): CompleteDriver => ({ ...driver, layers: [kind, ...driver.layers] })

describe('wrapStorage', () => {
  test('keeps references, settings and the clock', async () => {
    let time = 1_000
    const inner = tinyStorage({ ttlMs: 100, now: () => time })
    const wrapped = wrapStorage(inner, 'compressed', layer('compressed'))
    const reference = await wrapped.scope('a').store('call', new Uint8Array(3))
    expect(await inner.scope('a').store('call', new Uint8Array(3))).toBe(reference)
    // Storing again counted as one more use, a millisecond later.
    expect((await wrapped.scope('a').stat(reference)).expiresAt).toBe(1_101)
    time = 1_200
    await expect(wrapped.scope('a').retrieve(reference)).rejects.toMatchObject({ code: 'evicted' })
  })

  test.each([
    ['a scope', () => tinyStorage().scope('a'), /A scope cannot be compressed by itself/],
    ['a third-party storage', () => ({ store() {}, retrieve() {} }), /made with this copy of @spillway\/core/],
    ['nothing', () => undefined, /made with this copy/],
    ['a text', () => 'redis://', /made with this copy/],
  ])('refuses %s', (_name, storage, message) => {
    expect(() => wrapStorage(storage() as never, 'compressed', layer('compressed'))).toThrow(TypeError)
    expect(() => wrapStorage(storage() as never, 'compressed', layer('compressed'))).toThrow(message)
  })

  test('encrypts compressed content, and never compresses encrypted content', () => {
    const encrypted = wrapStorage(tinyStorage(), 'encrypted', layer('encrypted'))
    const both = wrapStorage(encrypted, 'compressed', layer('compressed'))
    const compressed = wrapStorage(tinyStorage(), 'compressed', layer('compressed'))
    expect(() => wrapStorage(compressed, 'encrypted', layer('encrypted'))).toThrow(
      'Write compressed(encrypted(storage, { key }))',
    )
    expect(() => wrapStorage(both, 'compressed', layer('compressed'))).toThrow('already. Call compressed() once')
    expect(() => wrapStorage(both, 'encrypted', layer('encrypted'))).toThrow('already. Call encrypted() once')
  })
})

describe('completeDriver', () => {
  test('returns a complete driver unchanged', () => {
    const complete = completeDriver(fourMethods())
    expect(completeDriver(complete)).toBe(complete)
    expect(complete.locate).toBeUndefined()
  })

  test('adds all other methods to a driver with four', async () => {
    const driver = completeDriver(fourMethods())
    const info = { key: 'call', contentType: 'text/plain', storedAt: 5, lastUsedAt: 5, metadata: {} }
    expect(await driver.write('a/call_1', stream(bytes('content')), info)).toEqual({ created: true, lastUsedAt: 5 })
    expect(await driver.write('a/call_1', stream(bytes('content')), info)).toEqual({ created: false, lastUsedAt: 6 })
    expect(await driver.stat('a/call_1')).toMatchObject({ size: 7, storedAt: 5, lastUsedAt: 6 })
    expect(await driver.touch('a/call_1', 9)).toBeNull()
    expect(await (await driver.open('a/call_1'))?.read({ offset: 3, length: 4 })).toEqual(bytes('tent'))
    expect(await driver.collect('', 9)).toEqual({ leftovers: 0, bytes: 0 })
    const eviction = { reason: 'age', evictedAt: 9, metadata: {} } as const
    expect(await driver.evict('a/call_1', 5, eviction)).toBe(false)
    expect(await driver.evict('a/call_1', 6, eviction)).toBe(true)
    expect(await driver.findEviction('a/call_1')).toEqual(eviction)
    await driver.write('a/call_1', stream(bytes('content')), info)
    expect(await driver.findEviction('a/call_1')).toBeUndefined()
    expect(await collect(driver.removeAll('b/'))).toEqual([])
    expect(await collect(driver.removeAll('a/'))).toEqual(['a/call_1'])
    expect(await driver.open('a/call_1')).toBeUndefined()
    await driver.close()
  })
})
