import { countSlowTurns } from '@spillway-internal/test-inputs'
import { describe, expect, test } from 'vitest'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { bytes, collect, stream } from '../conformance/sample.ts'
import { createStorage, type ManagedStorage } from './managed-storage.ts'
import type { ManagedStorageOptions, StoreReceipt } from './storage.ts'
import type { OpenEntry, StorageDriver } from './storage-driver.ts'
import { StorageError } from './storage-error.ts'

/** Methods and settings that replace the methods and settings of a tiny driver. `undefined` removes one. */
type Changes = { readonly [Name in keyof StorageDriver]?: StorageDriver[Name] | undefined }

interface Setup {
  readonly storage: ManagedStorage
  readonly disk: TinyDisk
  /** The methods of the driver that were called, in this order. */
  readonly calls: string[]
  /** Arguments of the latest call of `list`. */
  readonly listed: unknown[]
}

/** A storage whose driver records its calls. `changes` replaces methods and settings of the driver. */
function recorded(
  changes: (driver: TinyDriver) => Changes = () => ({}),
  options: ManagedStorageOptions = {},
  disk: TinyDisk = new TinyDisk(options.now ?? Date.now),
): Setup {
  const calls: string[] = []
  const listed: unknown[] = []
  const tiny = new TinyDriver(disk)
  const noted = new Proxy<StorageDriver>(Object.assign(tiny, changes(tiny) as Partial<StorageDriver>), {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...parameters: unknown[]): unknown => {
        calls.push(String(name))
        const isOpenEntries = String(parameters[0]).endsWith('_open/')
        if (name === 'list' && !isOpenEntries) listed.splice(0, Infinity, ...parameters)
        return Reflect.apply(value, target, parameters)
      }
    },
  })
  return { storage: createStorage(noted, options), disk, calls, listed }
}

async function storeWithReceipt(storage: ManagedStorage, content: Uint8Array): Promise<StoreReceipt> {
  const receipts: StoreReceipt[] = []
  await storage.store('call_1', content, 'text/plain', { onStored: (receipt) => receipts.push(receipt) })
  return receipts[0] as StoreReceipt
}

/** Return the driver's methods that a function calls. */
async function callsOf(calls: string[], run: () => Promise<unknown>): Promise<string[]> {
  calls.length = 0
  await run()
  return [...calls]
}

describe('touchFirstBytes', () => {
  const content = bytes('ten bytes.')

  test('writes smaller content without an earlier request', async () => {
    const { storage, calls } = recorded(() => ({ touchFirstBytes: 11 }))
    expect(await callsOf(calls, () => storage.store('call_1', content))).toEqual(['write'])
  })

  test('records the use of existing smaller content with one touch', async () => {
    const { storage, calls } = recorded(() => ({ touchFirstBytes: 11 }), { now: () => 5_000 })
    const first = await storeWithReceipt(storage, content)
    calls.length = 0
    const second = await storeWithReceipt(storage, content)
    expect(calls).toEqual(['write', 'touch'])
    expect([first.created, second.created]).toEqual([true, false])
    expect(second.usedAt).toBe((await storage.stat(first.reference)).lastUsedAt)
    expect(second.usedAt).toBeGreaterThan(first.usedAt)
    await storage.delete(first.reference, { unusedSince: first.usedAt })
    await expect(storage.retrieve(first.reference)).resolves.toMatchObject({ content })
  })

  test.each([
    ['of exactly that size', { touchFirstBytes: 10 }],
    ['above it', { touchFirstBytes: 9 }],
    ['of any size if it is not set', {}],
  ])('looks up content %s first, and does not write it again', async (_what, settings) => {
    const { storage, calls } = recorded(() => settings)
    expect(await callsOf(calls, () => storage.store('call_1', content))).toEqual(['touch', 'write'])
    expect(await callsOf(calls, () => storage.store('call_1', content))).toEqual(['touch'])
  })

  test.each<[string, Changes]>([
    ['', {}],
    [' below it', { touchFirstBytes: 1_000 }],
  ])('never looks up a stream%s, because its reference is unique', async (_what, settings) => {
    const { storage, calls } = recorded(() => settings)
    const chunks = stream(content, content)
    expect(await callsOf(calls, () => storage.storeStream('call_1', chunks))).toEqual(['write'])
  })

  test('requests a description from a driver without touch before any write', async () => {
    const { storage, calls } = recorded(() => ({ touch: undefined, touchFirstBytes: 1_000 }))
    expect(await callsOf(calls, () => storage.store('call_1', content))).toEqual(['stat', 'write'])
  })

  test('counts smaller content towards turns and quota', async () => {
    const options = { evictAfterTurns: 1, maxBytes: 25 }
    const { storage } = recorded(() => ({ touchFirstBytes: 1_000 }), options)
    const [first, second, third] = [
      await storage.store('first', content),
      await storage.store('second', content),
      await storage.store('third', content),
    ]
    await expect(storage.retrieve(first)).rejects.toMatchObject({ code: 'evicted' })
    await storage.endTurn()
    await storage.store('second', content)
    const { evicted } = await storage.endTurn()
    expect(evicted.map(({ reference }) => reference)).toEqual([third])
    await expect(storage.retrieve(second)).resolves.toMatchObject({ content })
  })
})

describe('a write that reports whether the entry existed', () => {
  const telling =
    (tellsCreated: boolean) =>
    (driver: TinyDriver): Changes => ({
      touch: undefined,
      tellsCreated,
      async write(id, chunks, info) {
        const before = driver.disk.records.get(id)?.info
        const lastUsedAt = before === undefined ? info.lastUsedAt : before.lastUsedAt + 1_000
        if (before !== undefined) driver.disk.records.delete(id)
        await TinyDriver.prototype.write.call(driver, id, chunks, { ...(before ?? info), lastUsedAt })
        return { created: before === undefined, lastUsedAt }
      },
    })

  test.each([
    [true, ['write']],
    [false, ['stat', 'write']],
  ])('with tellsCreated %s, calls only the methods %j', async (tellsCreated, expected) => {
    const { storage, calls } = recorded(telling(tellsCreated), { now: () => 5_000 })
    const receipts = [await storeWithReceipt(storage, bytes('content'))]
    calls.length = 0
    receipts.push(await storeWithReceipt(storage, bytes('content')))
    expect(calls).toEqual(expected)
    expect(receipts.map(({ created, usedAt }) => [created, usedAt])).toEqual([
      [true, 5_000],
      [false, 6_000],
    ])
  })

  test('keeps an entry that was stored twice, if only the first store is undone', async () => {
    const { storage } = recorded(telling(true), { now: () => 5_000 })
    const first = await storeWithReceipt(storage, bytes('content'))
    const second = await storeWithReceipt(storage, bytes('content'))
    await storage.delete(first.reference, { unusedSince: first.usedAt })
    await expect(storage.stat(first.reference)).resolves.toMatchObject({ storedAt: 5_000, lastUsedAt: second.usedAt })
    await storage.delete(first.reference, { unusedSince: second.usedAt })
    await expect(storage.stat(first.reference)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('removeAll', () => {
  /** Removes entries in the order of ids, and records whether the iteration ran to its end. */
  const removing =
    (ended: { value: boolean } = { value: false }) =>
    (driver: TinyDriver): Changes => ({
      async *removeAll(prefix) {
        try {
          await driver.reach()
          for (const id of [...driver.disk.records.keys()].toSorted())
            if (id.startsWith(prefix) && driver.disk.records.delete(id)) yield id
        } finally {
          ended.value = true
        }
      },
    })

  test('clears a scope and its child scopes with one call', async () => {
    const { storage, calls, disk } = recorded(removing())
    for (const segments of [['a'], ['a', 'b'], ['ab']]) await storage.scope(...segments).store('call_1', bytes('x'))
    calls.length = 0
    expect(await storage.scope('a').clear()).toBe(2)
    expect(calls).toEqual(['removeAll'])
    expect([...disk.records.keys()].map((id) => id.split('/')[0])).toEqual(['ab'])
  })

  test('gets an empty prefix from the storage without a scope', async () => {
    const prefixes: string[] = []
    const { storage } = recorded(() => ({
      removeAll(prefix) {
        prefixes.push(prefix)
        return stream() as AsyncIterable<never>
      },
    }))
    expect([await storage.clear(), await storage.scope('a', 'b').clear()]).toEqual([0, 0])
    expect(prefixes).toEqual(['', 'a/b/'])
  })

  test('forgets turns, bytes and content types of the removed entries', async () => {
    const { storage, calls, disk } = recorded(removing(), { evictAfterTurns: 1, maxBytes: 10 })
    const scope = storage.scope('a')
    const reference = await scope.store('call_1', bytes('12345678'))
    expect(scope.locate?.(reference)).toBeDefined()
    await scope.clear()
    expect(scope.locate?.(reference)).toBeUndefined()
    calls.length = 0
    for (let turn = 0; turn < 3; turn += 1) expect((await scope.endTurn()).evicted).toEqual([])
    expect(calls).not.toContain('evict')
    await scope.store('call_2', bytes('12345678'))
    expect(disk.records.size).toBe(1)
    expect(disk.tombstones.size).toBe(0)
  })

  test('makes a cleared entry unknown, even if it was evicted and stored again elsewhere before', async () => {
    let time = 0
    const forgetful = (driver: TinyDriver): Changes => ({ ...removing()(driver), findEviction: undefined })
    const options = { ttlMs: 1_000, now: () => time }
    const { storage, disk } = recorded(forgetful, options)
    const reference = await storage.store('call_1', bytes('x'))
    time = 2_000
    expect((await storage.gc()).expired).toBe(1)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'evicted' })
    await recorded(forgetful, options, disk).storage.store('call_1', bytes('x'))
    expect(await storage.clear()).toBe(1)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('ends reads of an entry that was opened before', async () => {
    const { storage } = recorded(removing())
    const reference = await storage.store('call_1', bytes('content'))
    const opened = await storage.open(reference)
    await opened.read(0, 7)
    await opened.close()
    await storage.clear()
    await expect(storage.open(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('stops between two entries if its signal aborts, and ends the iteration of the driver', async () => {
    const ended = { value: false }
    const controller = new AbortController()
    const { storage, disk } = recorded((driver) => {
      const { removeAll } = removing(ended)(driver)
      return {
        async *removeAll(prefix) {
          for await (const id of removeAll?.call(driver, prefix) ?? []) {
            if (disk.records.size === 3) controller.abort()
            yield id
          }
        },
      }
    })
    for (let index = 0; index < 5; index += 1) await storage.store(`call_${index}`, bytes('x'))
    await expect(storage.clear({ signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
    expect([disk.records.size, ended.value]).toEqual([3, true])
    expect(await storage.clear()).toBe(3)
  })

  test('reports a failure as an outage, and forgets the entries removed so far', async () => {
    const { storage, disk } = recorded((driver) => ({
      async *removeAll() {
        const [id] = driver.disk.records.keys()
        if (id !== undefined && driver.disk.records.delete(id)) yield id
        throw new Error('connection reset')
      },
    }))
    const references = [await storage.store('call_1', bytes('x')), await storage.store('call_2', bytes('x'))]
    await expect(storage.clear()).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    expect(disk.records.size).toBe(1)
    expect(references.map((reference) => storage.locate?.(reference) === undefined)).toEqual([true, false])
  })
})

describe('list with unusedSince', () => {
  const TTL_MS = 60_000

  test('gives gc only entries of its scope that may have expired', async () => {
    let time = 1_000_000
    const { storage, listed } = recorded(undefined, { ttlMs: TTL_MS, now: () => time })
    await storage.scope('a').store('call_1', bytes('x'))
    time += TTL_MS
    expect((await storage.scope('a').gc()).expired).toBe(1)
    expect(listed).toEqual(['a/', { unusedSince: 1_000_000 }])
  })

  test('includes entries last used at exactly that time, but no later entries', async () => {
    let time = 1_000_000
    const { storage } = recorded(
      (driver) => {
        const list = driver.list.bind(driver)
        return {
          async *list(prefix, { unusedSince = Infinity } = {}) {
            for await (const entry of list(prefix)) if (entry.info.lastUsedAt <= unusedSince) yield entry
          },
        }
      },
      { ttlMs: TTL_MS, now: () => time },
    )
    const old = await storage.store('old', bytes('x'))
    time += 1
    const fresh = await storage.store('fresh', bytes('x'))
    time += TTL_MS - 1
    expect((await storage.gc()).expired).toBe(1)
    await expect(storage.retrieve(old)).rejects.toMatchObject({ code: 'evicted' })
    expect((await collect(storage.list())).map(({ reference }) => reference)).toEqual([fresh])
  })

  test('is not used by gc without ttlMs, and a plain list requests all entries', async () => {
    const { storage, calls, listed } = recorded()
    await storage.store('call_1', bytes('x'))
    expect(await callsOf(calls, () => storage.gc())).toEqual(['collect'])
    expect(await collect(storage.list())).toHaveLength(1)
    expect(listed).toEqual(['', { below: undefined, except: undefined }])
  })
})

describe('a driver with evictAll', () => {
  const together = (driver: TinyDriver): Changes => ({
    async evictAll(candidates, eviction) {
      const outcomes = candidates.map(async ({ id, unusedSince }) => {
        const info = await driver.stat(id)
        if (info === undefined) return 'gone'
        return (await driver.evict(id, unusedSince, { ...eviction, metadata: info.metadata })) ? info.size : 'used'
      })
      return Promise.all(outcomes)
    },
  })

  test('evicts due entries by turns in batches, without other requests', async () => {
    const { storage, calls } = recorded(together, { evictAfterTurns: 1 })
    for (let index = 0; index < 501; index += 1) await storage.store(`call_${index}`, bytes('content'))
    await storage.endTurn()
    calls.length = 0
    const { evicted } = await storage.endTurn()
    expect(evicted).toHaveLength(501)
    expect(evicted[0]).toMatchObject({ reason: 'turns', size: 7 })
    expect(calls).toEqual(['evictAll', 'evictAll'])
  })

  test('evicts expired entries in batches, with the metadata of each entry', async () => {
    let time = 0
    const { storage, calls } = recorded(together, { ttlMs: 1_000, now: () => time })
    const scope = storage.scope('a')
    const references: string[] = []
    for (let index = 0; index < 501; index += 1)
      references.push(
        await scope.store(`call_${index}`, bytes('content'), 'text/plain', { metadata: { tool: 'bash' } }),
      )
    time = 1_000
    calls.length = 0
    expect(await storage.gc()).toMatchObject({ expired: 501, bytes: 3_507 })
    expect(calls).toEqual(['list', 'evictAll', 'evictAll', 'collect'])
    await expect(scope.retrieve(references[500]!)).rejects.toMatchObject({
      code: 'evicted',
      message: expect.stringContaining('bash') as unknown,
    })
  })

  test('evicts everything for a large entry at once', async () => {
    const { storage, calls } = recorded(together, { maxBytes: 100 })
    for (let index = 0; index < 10; index += 1) await storage.store(`call_${index}`, bytes('0123456789'))
    const large = bytes('0123456789'.repeat(9))
    const asked = await callsOf(calls, () => storage.store('large', large))
    // The first store has listed one entry, and the others are listed now.
    expect(asked.filter((name) => name === 'evictAll')).toHaveLength(2)
    expect(await collect(storage.list())).toHaveLength(2)
  })

  test('keeps an entry that is stored again in the meantime, and evicts the other entries of its batch', async () => {
    const [touching, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { storage, disk } = recorded(
      (driver) => ({
        ...together(driver),
        async touch(id, lastUsedAt) {
          if (disk.records.size === 2) touching.resolve()
          if (disk.records.size === 2) await released.promise
          return driver.use(id, lastUsedAt)
        },
      }),
      { evictAfterTurns: 1 },
    )
    const kept = await storage.store('kept', bytes('kept'))
    const other = await storage.store('other', bytes('other'))
    await storage.endTurn()
    const storing = storage.store('kept', bytes('kept'))
    await touching.promise
    const ending = storage.endTurn()
    released.resolve()
    expect(await storing).toBe(kept)
    expect((await ending).evicted).toMatchObject([{ reference: other }])
    expect([...disk.records.keys()]).toEqual([kept])
  })

  test('keeps an entry for its next turns if another process has just used it', async () => {
    let isUsed = true
    const { storage } = recorded(
      (driver) => ({
        evictAll: async (candidates, eviction) =>
          isUsed
            ? candidates.map(() => 'used' as const)
            : await together(driver).evictAll!.call(driver, candidates, eviction),
      }),
      { evictAfterTurns: 1 },
    )
    const reference = await storage.store('call_1', bytes('x'))
    for (let turn = 0; turn < 2; turn += 1) expect((await storage.endTurn()).evicted).toEqual([])
    isUsed = false
    expect((await storage.endTurn()).evicted).toEqual([])
    expect((await storage.endTurn()).evicted).toMatchObject([{ reference }])
  })
})

test.each<[string, (storage: ManagedStorage, signal: AbortSignal) => Promise<unknown>]>([
  ['retrieve', (storage, signal) => storage.retrieve('call_1_0_abcdefghijklmnopqrst', { signal })],
  [
    'retrieveRange',
    (storage, signal) => storage.retrieveRange('call_1_abcdefghij', { offset: 0, length: 1 }, { signal }),
  ],
  ['stat', (storage, signal) => storage.stat('call_1_0_abcdefghijklmnopqrst', { signal })],
  ['open', (storage, signal) => storage.open('call_1_0_abcdefghijklmnopqrst', { signal })],
])('%s rejects as soon as its signal aborts, even if the backend does not answer', async (_name, run) => {
  const controller = new AbortController()
  const hangs = async (): Promise<never> => {
    controller.abort()
    return await new Promise<never>(() => undefined)
  }
  const { storage } = recorded(() => ({ read: hangs, stat: hangs, open: hangs }))
  await expect(run(storage, controller.signal)).rejects.toMatchObject({ code: 'aborted' })
})

test('content that a backend opens after the abort is closed', async () => {
  const controller = new AbortController()
  const { promise: closed, resolve: noteClosed } = Promise.withResolvers<void>()
  const info = { key: 'k', contentType: 'text/plain', size: 1, storedAt: 0, lastUsedAt: Date.now(), metadata: {} }
  const open = async (): Promise<OpenEntry> => {
    controller.abort()
    return { info, read: async () => new Uint8Array(1), close: async () => noteClosed() }
  }
  const { storage } = recorded(() => ({ open }))
  const opening = storage.open('call_1_0_abcdefghijklmnopqrst', { signal: controller.signal })
  await expect(opening).rejects.toMatchObject({ code: 'aborted' })
  await closed
})

describe('a damaged entry', () => {
  const now = Date.UTC(2026, 0, 1)

  /** A storage in which the description of one entry cannot be read. */
  async function damaged(
    options: ManagedStorageOptions,
    changes: Changes = {},
  ): Promise<{ readonly storage: ManagedStorage; readonly broken: string; readonly time: { now: number } }> {
    const time = { now }
    const ids = new Set<string>()
    const corrupt = (): never => {
      throw new StorageError('corrupt', 'its description is damaged')
    }
    const { storage } = recorded(
      (driver) => {
        const { stat } = driver
        return { stat: async (id) => (ids.has(id) ? corrupt() : stat.call(driver, id)), ...changes }
      },
      { ...options, now: () => time.now },
    )
    const broken = await storage.store('broken', bytes('0123456789'))
    ids.add(broken)
    return { storage, broken, time }
  }

  test('is evicted if it has expired, and does not stop other evictions', async () => {
    const { storage, broken, time } = await damaged({ ttlMs: 1_000 })
    await storage.store('other', bytes('other'))
    time.now += 2_000
    expect(await storage.gc()).toMatchObject({ expired: 2, bytes: 15 })
    await expect(storage.retrieve(broken)).rejects.toMatchObject({ code: 'evicted' })
  })

  test('is evicted if it was unused for too many turns', async () => {
    const { storage } = await damaged({ evictAfterTurns: 1 })
    await storage.store('other', bytes('other'))
    await storage.endTurn()
    const { evicted } = await storage.endTurn()
    expect(evicted.map(({ size }) => size)).toEqual([10, 5])
  })

  test('is evicted by a quota, even by a driver that cannot compare and remove', async () => {
    const { storage, broken } = await damaged({ maxBytes: 20 }, { evict: undefined, findEviction: undefined })
    await storage.store('other', bytes('0123456789'))
    await storage.store('third', bytes('0123456789'))
    await expect(storage.retrieve(broken)).rejects.toMatchObject({ code: 'evicted' })
    expect(await collect(storage.list())).toHaveLength(2)
  })

  test('is still an outage if the backend is down', async () => {
    const down = new StorageError('unavailable', 'The backend is down.')
    const { storage, time } = await damaged({ ttlMs: 1_000 }, { stat: () => Promise.reject(down) })
    time.now += 2_000
    await expect(storage.gc()).rejects.toBe(down)
  })
})

test('a clock with fractions of milliseconds is rounded to whole ones', async () => {
  const { storage } = recorded(undefined, { now: () => 1_234.5678 })
  const reference = await storage.store('call_1', bytes('content'))
  expect(await storage.stat(reference)).toMatchObject({ storedAt: 1_234, lastUsedAt: 1_234 })
})

test('entries that an aborted clear removed are not read from the cache', async () => {
  const { storage } = recorded((driver) => ({
    async *removeAll(prefix: string) {
      const ids: string[] = []
      for await (const { id } of driver.list(prefix)) ids.push(id)
      for (const id of ids) await driver.remove(id)
      yield* ids
    },
  }))
  const references = [await storage.store('a', bytes('aaaa')), await storage.store('b', bytes('bbbb'))]
  for (const reference of references) {
    const open = await storage.open(reference)
    await open.read(0, 4)
    await open.close()
  }
  const controller = new AbortController()
  const clearing = storage.clear({ signal: controller.signal })
  controller.abort()
  await expect(clearing).rejects.toMatchObject({ code: 'aborted' })
  if ((await collect(storage.list())).length > 0) return expect.unreachable('nothing was removed')
  for (const reference of references) await expect(storage.open(reference)).rejects.toMatchObject({ code: 'not-found' })
})

describe('list with except and below', () => {
  test('passes known ids to the driver, and filters the list itself if the driver does not', async () => {
    const asked: (string | boolean)[] = []
    const { storage } = recorded((driver) => {
      const list = driver.list.bind(driver)
      return {
        async *list(prefix, { except } = {}) {
          for await (const entry of list(prefix)) {
            if (except !== undefined) asked.push(entry.id, except(entry.id))
            yield entry
          }
        },
      }
    })
    const known = await storage.scope('a').store('known', bytes('x'))
    const other = await storage.store('other', bytes('x'))
    const listed = await collect(storage.list({ except: new Set([known]) }))
    expect(listed.map(({ reference }) => reference)).toEqual([other])
    expect(asked).toEqual([`a/${known}`, true, other, false])
  })

  test('asks the driver to omit child scopes, and filters the list itself if the driver does not', async () => {
    const { storage, listed } = recorded()
    await storage.scope('a').store('below', bytes('x'))
    const reference = await storage.store('here', bytes('x'))
    expect(await collect(storage.list({ below: false }))).toMatchObject([{ reference }])
    expect(listed).toMatchObject(['', { below: false }])
  })

  test('refuses an except that is not a Set', async () => {
    const { storage } = recorded()
    await expect(collect(storage.list({ except: ['call_1'] as never }))).rejects.toThrow(TypeError)
  })

  test('refuses an unknown option of each method', async () => {
    const { storage } = recorded()
    const used = await storage.store('call_1', bytes('content'))
    const unknown = 'Unknown option "unusedFor". Known: '
    const options = { unusedFor: 1 } as never
    await expect(storage.delete(used, options)).rejects.toThrow(`${unknown}unusedSince, signal.`)
    await expect(collect(storage.list(options))).rejects.toThrow(`${unknown}below, except, signal.`)
    await expect(storage.gc(options)).rejects.toThrow(`${unknown}signal.`)
    await expect(storage.clear(options)).rejects.toThrow(`${unknown}signal.`)
    const storing = `${unknown}metadata, signal, transfer, onStored.`
    await expect(storage.store('a', bytes('a'), 'text/plain', options)).rejects.toThrow(storing)
    await expect(storage.storeStream('a', stream(), 'text/plain', options)).rejects.toThrow(storing)
    await expect(storage.openEntry('a', 'text/plain', options)).rejects.toThrow(`${unknown}metadata, maxBytes.`)
    await expect(storage.retrieve(used, options)).rejects.toThrow(`${unknown}signal.`)
    await expect(storage.retrieveRange(used, { offset: 0, length: 1 }, options)).rejects.toThrow(`${unknown}signal.`)
    await expect(storage.open(used, options)).rejects.toThrow(`${unknown}signal.`)
    await expect(storage.stat(used, options)).rejects.toThrow(`${unknown}signal.`)
    await expect(storage.retrieve(used, null as never)).rejects.toThrow('retrieve() takes an object of options')
    await expect(storage.clear(null as never)).rejects.toThrow('clear() takes an object of options, got null.')
    expect(await collect(storage.list())).toHaveLength(1)
  })
})

describe('scopeAt', () => {
  test('opens the scopes that a listing names, even those named by hashes', async () => {
    const { storage } = recorded()
    const scopes = [['a'], ['a', 'user@example.com'], ['x'.repeat(900)]]
    for (const scope of scopes) await storage.scope(...scope).store('key', bytes(scope.join()))
    const writer = await storage.scope('a', 'b').openEntry('open')
    await writer.close()
    await storage.store('own', bytes('own'))
    const read: string[] = []
    for await (const { scope, reference } of storage.list()) {
      const place = scope === undefined ? storage : await storage.scopeAt(scope)
      read.push(new TextDecoder().decode((await place.retrieve(reference)).content))
    }
    expect(read.toSorted()).toEqual(['', 'a', 'a,user@example.com', 'own', 'x'.repeat(900)])
    const [nested] = await collect(storage.scope('a').list({ below: true }))
    expect([undefined, 'b', 'user_40example_2ecom']).toContain(nested?.scope)
  })

  test('refuses every other path, so that it never leaves the scope', async () => {
    const { storage } = recorded()
    await storage.scope('b').store('key', bytes('other'))
    const scope = storage.scope('a')
    for (const path of ['', '..', '../b', '/b', 'b/', 'A', 'a b', 'a//b'])
      await expect(scope.scopeAt(path), path).rejects.toMatchObject({ code: 'invalid-key' })
    expect(await collect((await scope.scopeAt('b')).list())).toEqual([])
  })
})

test.each<[name: string, work: (storage: ManagedStorage) => Promise<unknown>]>([
  ['listing', (storage) => collect(storage.list())],
  ['clearing', (storage) => storage.clear()],
  ['evicting', (storage) => storage.endTurn()],
])('%s many entries lets other work run between them', async (_, work) => {
  const storage = createStorage(new TinyDriver(new TinyDisk(Date.now)), { evictAfterTurns: 1, ttlMs: 60_000 })
  for (let entry = 0; entry < 50; entry++) await storage.store(`${entry}`, bytes('content'))
  await storage.endTurn()
  expect(await countSlowTurns(() => work(storage))).toBeGreaterThan(40)
})
