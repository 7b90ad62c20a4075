import type { EntryId, StorageErrorCode } from '@spillway/core'
import { StorageError } from '@spillway/core/driver'
import { TinyDisk, TinyDriver, type TinyRecord } from '../../../packages/core/test/tiny-driver.ts'
import { overridden, type Fault, type Override } from './fault.ts'

/** Create a storage that throws other errors than it should. */
const rethrowing =
  (codes: readonly StorageErrorCode[], change: (error: StorageError) => unknown): Override =>
  (inner) => ({
    async retrieve(reference, options) {
      try {
        return await inner.retrieve(reference, options)
      } catch (error) {
        throw StorageError.isInstance(error) && codes.includes(error.code) ? change(error) : error
      }
    },
  })

const ignoresSignal =
  (method: 'store' | 'storeStream'): Override =>
  (inner) => ({
    [method]: (key: string, content: never, type?: string, options?: object) =>
      inner[method](key, content, type, { ...options, signal: undefined }),
  })

export const backendFaults: readonly Fault[] = [
  {
    name: 'shares its data with all other storages',
    caughtBy: 'harness/isolated',
    disk: (() => {
      let shared: TinyDisk | undefined
      let cases = 0
      return (now) => {
        // The first storage is created by the plan of the run, the next two by the first case.
        cases += 1
        if (cases > 3) return new TinyDisk(now)
        return (shared ??= new TinyDisk(now))
      }
    })(),
  },
  {
    name: 'is not empty at the start',
    caughtBy: 'harness/fresh',
    disk: (() => {
      let cases = 0
      return (now) => {
        const disk = new TinyDisk(now)
        const info = { key: 'old', contentType: 'text/plain', size: 0, storedAt: 0, lastUsedAt: 0, metadata: {} }
        cases += 1
        // The first storage is created by the plan of the run, and the next two by harness/isolated.
        if (cases === 4 || cases === 5) disk.records.set('old', { content: new Uint8Array(0), info })
        return disk
      }
    })(),
  },
  {
    name: 'fails if an entry is missing',
    caughtBy: 'harness/fresh',
    storage: (storage) =>
      overridden(
        storage,
        rethrowing(['not-found'], ({ message }) => new StorageError('unavailable', message)),
      ),
  },
  {
    name: 'reports an outage as a missing entry',
    caughtBy: 'outage/retrieve',
    also: ['outage/open', 'outage/retrieve-unknown', 'outage/retrieve-range'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const read = driver.read.bind(driver)
      driver.read = async (id, range) => (disk.isDown ? undefined : read(id, range))
      driver.findEviction = async (id) => disk.tombstones.get(id)
      return driver
    },
  },
  {
    name: 'marks an outage as not retryable',
    caughtBy: 'outage/retrieve',
    also: ['outage/retrieve-unknown'],
    storage: (storage) =>
      overridden(
        storage,
        rethrowing(
          ['unavailable'],
          ({ message, reference }) => new StorageError('unavailable', message, { reference, retryable: false }),
        ),
      ),
  },
  {
    name: 'passes on errors of its driver unchanged',
    caughtBy: 'outage/retrieve',
    also: ['outage/retrieve-unknown'],
    storage: (storage) =>
      overridden(
        storage,
        rethrowing(['unavailable'], (error) => error.cause),
      ),
  },
  {
    name: 'lists nothing during an outage',
    caughtBy: 'outage/list',
    also: ['outage/clear'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const list = driver.list.bind(driver)
      driver.list = async function* (prefix) {
        if (!disk.isDown) yield* list(prefix)
      }
      return driver
    },
  },
  {
    name: 'deletes nothing during an outage, and does not reject',
    caughtBy: 'outage/delete',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const remove = driver.remove.bind(driver)
      driver.remove = async (id) => (disk.isDown ? false : remove(id))
      return driver
    },
  },
  {
    name: 'stores nothing during an outage, and does not reject',
    caughtBy: 'outage/rejects',
    also: ['outage/store', 'outage/store-again', 'outage/store-stream'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const write = driver.write.bind(driver)
      driver.write = async (id, chunks, info) => (disk.isDown ? true : write(id, chunks, info))
      const touch = driver.touch.bind(driver)
      driver.touch = async (id, lastUsedAt) => (disk.isDown ? undefined : touch(id, lastUsedAt))
      return driver
    },
  },
  {
    name: 'stays unavailable after an outage',
    caughtBy: 'outage/rejects',
    also: [
      'outage/open',
      'outage/store',
      'outage/store-again',
      'outage/retrieve',
      'outage/retrieve-unknown',
      'outage/stat',
      'outage/retrieve-range',
      'outage/store-stream',
      'outage/list',
      'outage/delete',
      'outage/delete-unused',
      'outage/clear',
      'outage/end-turn',
      'outage/gc',
    ],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      let hasFailed = false
      driver.reach = async () => {
        await Promise.resolve()
        hasFailed ||= disk.isDown
        if (hasFailed) throw new Error('the connection is broken')
      }
      return driver
    },
  },
  {
    name: 'ends a turn without an error during an outage',
    caughtBy: 'outage/end-turn',
    storage: (storage, disk) =>
      overridden(storage, (inner) => ({ endTurn: async () => (disk.isDown ? { evicted: [] } : inner.endTurn()) })),
  },
  {
    name: 'collects nothing during an outage, and does not reject',
    caughtBy: 'outage/gc',
    storage: (storage, disk) =>
      overridden(storage, (inner) => ({
        gc: async (options) => (disk.isDown ? { expired: 0, leftovers: 0, bytes: 0 } : inner.gc(options)),
      })),
  },
  {
    name: 'describes entries from a cache during an outage',
    caughtBy: 'outage/stat',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const stat = driver.stat.bind(driver)
      driver.stat = async (id) => (disk.isDown ? disk.records.get(id)?.info : stat(id))
      return driver
    },
  },
  {
    name: 'stores after an abort',
    caughtBy: 'abort/store',
    storage: (storage) => overridden(storage, ignoresSignal('store')),
  },
  {
    name: 'stores a stream after an abort',
    caughtBy: 'abort/store-stream',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        storeStream: (key, chunks, type, options) =>
          inner.storeStream(
            key,
            chunks,
            type,
            options?.signal?.aborted === true ? { ...options, signal: undefined } : options,
          ),
      })),
  },
  ...(['retrieve', 'stat', 'delete'] as const).map((method): Fault => ({
    name: `runs ${method} after an abort`,
    caughtBy: `abort/${method}`,
    storage: (storage) =>
      overridden(storage, (inner) => ({
        [method]: (reference: string, options?: object) => inner[method](reference, { ...options, signal: undefined }),
      })),
  })),
  ...(['list', 'clear', 'gc'] as const).map((method): Fault => ({
    name: `runs ${method} after an abort`,
    caughtBy: `abort/${method}`,
    storage: (storage) =>
      overridden(storage, (inner) => ({
        [method]: (options?: object) => inner[method]({ ...options, signal: undefined }),
      })),
  })),
  {
    name: 'rejects with the reason of the signal instead of a StorageError',
    caughtBy: 'abort/retrieve',
    storage: (storage) =>
      overridden(
        storage,
        rethrowing(['aborted'], (error) => error.cause),
      ),
  },
  {
    name: 'loses one of two entries stored at once',
    caughtBy: 'concurrency/parallel-stores',
    also: [
      'clear/beyond-one-page',
      'gc/beyond-one-page',
      'content-type/exact',
      'list/beyond-one-page',
      'quota/parallel-stores-that-fit',
      'instances/parallel-stores',
    ],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const write = driver.write.bind(driver)
      driver.write = async (id, chunks, info) => {
        const before = new Map(disk.records)
        const created = await write(id, chunks, info)
        const record = disk.records.get(id)
        await Promise.resolve()
        if (record !== undefined) disk.records = before.set(id, record)
        return created
      }
      return driver
    },
  },
  {
    name: 'returns half of an entry that is deleted while it is read',
    caughtBy: 'concurrency/retrieve-while-deleting',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const read = driver.read.bind(driver)
      driver.read = async (id, range) => {
        const found = await read(id, range)
        if (found === undefined || range !== undefined || found.content.length !== 200_000) return found
        for (let turn = 0; turn < 3; turn += 1) await Promise.resolve()
        return disk.records.has(id) ? found : { ...found, content: found.content.fill(0, 100_000) }
      }
      return driver
    },
  },
  {
    name: 'keeps everything in memory only',
    caughtBy: 'durability/content',
    also: [
      'turns/earlier-instance',
      'quota/earlier-instance',
      'durability/description',
      'durability/scopes',
      'kill/acknowledged-survive',
      'kill/leftovers-are-collected',
      'instances/one-creates',
      'instances/parallel-stores',
    ],
    driver: (disk) => {
      const own = new TinyDisk(disk.now)
      const instances = OWN.get(disk) ?? []
      OWN.set(disk, [...instances, own])
      if (instances.length === 0) return new TinyDriver(disk)
      Object.defineProperty(own, 'isDown', { get: () => disk.isDown })
      return new TinyDriver(own)
    },
  },
  {
    name: 'forgets content types when it is reopened',
    caughtBy: 'durability/content',
    also: [
      'durability/description',
      'kill/acknowledged-survive',
      'kill/leftovers-are-collected',
      'instances/parallel-stores',
    ],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const types = new Map<EntryId, string>()
      const write = driver.write.bind(driver)
      driver.write = async (id, chunks, info) => {
        types.set(id, info.contentType)
        return write(id, chunks, info)
      }
      const known = (id: EntryId, contentType: string): string =>
        types.get(id) ?? (contentType === 'text/plain' ? contentType : 'application/octet-stream')
      const read = driver.read.bind(driver)
      driver.read = async (id, range) => {
        const found = await read(id, range)
        return found && { ...found, info: { ...found.info, contentType: known(id, found.info.contentType) } }
      }
      const stat = driver.stat.bind(driver)
      driver.stat = async (id) => {
        const info = await stat(id)
        return info && { ...info, contentType: known(id, info.contentType) }
      }
      return driver
    },
  },
  {
    name: 'restores deleted entries when it is reopened',
    caughtBy: 'durability/description',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const deleted = DELETED.get(disk) ?? new Map<EntryId, TinyRecord>()
      DELETED.set(disk, deleted)
      for (const [id, record] of deleted) disk.records.set(id, record)
      const remove = driver.remove.bind(driver)
      driver.remove = async (id) => {
        const record = disk.records.get(id)
        if (record?.info.key === 'deleted') deleted.set(id, record)
        return remove(id)
      }
      return driver
    },
  },
  {
    name: 'acknowledges entries before they are written',
    caughtBy: 'kill/acknowledged-survive',
    also: ['kill/leftovers-are-collected', 'instances/one-creates', 'instances/parallel-stores'],
    driver: (disk) => {
      const memory = new TinyDisk(disk.now)
      memory.records = new Map(disk.records)
      const instances = OWN.get(disk) ?? []
      OWN.set(disk, [...instances, memory])
      if (instances.length === 0) {
        const first = new TinyDriver(disk)
        return first
      }
      Object.defineProperty(memory, 'isDown', { get: () => disk.isDown })
      const driver = new TinyDriver(memory)
      driver.close = async () => {
        for (const [id, record] of memory.records) disk.records.set(id, record)
      }
      return driver
    },
  },
  {
    name: 'shows incomplete entries of a killed writer',
    caughtBy: 'kill/acknowledged-survive',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const list = driver.list.bind(driver)
      driver.list = async function* (prefix) {
        yield* list(prefix)
        for (const [name, { bytes }] of disk.unfinished)
          if (bytes > 900_000 && bytes < 1_100_000)
            yield {
              id: name.replaceAll('-', '_'),
              info: { key: '', contentType: 'text/plain', size: bytes, storedAt: 0, lastUsedAt: 0, metadata: {} },
            }
      }
      return driver
    },
  },
  {
    name: 'never collects leftovers of killed writers',
    caughtBy: 'kill/leftovers-are-collected',
    driver: (disk) => Object.assign(new TinyDriver(disk), { collect: undefined }),
  },
  {
    name: 'collects acknowledged entries along with the leftovers',
    caughtBy: 'kill/leftovers-are-collected',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const collect = driver.collect.bind(driver)
      driver.collect = async (prefix, now) => {
        for (const [id, { info }] of disk.records) if (info.key === 'acknowledged_4') disk.records.delete(id)
        return collect(prefix, now)
      }
      return driver
    },
  },
  {
    name: 'keeps a separate list of its entries',
    caughtBy: 'instances/remember-nothing-of-each-other',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const gone = new Map<EntryId, TinyRecord>()
      const read = driver.read.bind(driver)
      driver.read = async (id, range) => {
        const record = disk.records.get(id)
        if (record !== undefined && record.info.key === 'key') gone.set(id, record)
        const cached = gone.get(id)
        if (record === undefined && cached !== undefined && cached.info.size === 7) return cached
        return read(id, range)
      }
      const remove = driver.remove.bind(driver)
      driver.remove = async (id) => {
        gone.delete(id)
        return remove(id)
      }
      return driver
    },
  },
  {
    name: 'reports a wrong creator if several instances store the same entry',
    caughtBy: 'instances/one-creates',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const write = driver.write.bind(driver)
      driver.write = async (id, chunks, info) => {
        await write(id, chunks, info)
        return true
      }
      return driver
    },
  },
  {
    name: 'fails if it is closed twice',
    caughtBy: 'lifecycle/close',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      let isClosed = false
      driver.close = async () => {
        if (isClosed) throw new Error('it is closed already')
        isClosed = true
      }
      return driver
    },
  },
  {
    name: 'is closed when one of its scopes is closed',
    caughtBy: 'lifecycle/close',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      driver.close = async () => void (disk.isDown = CLOSING.has(disk))
      return driver
    },
    storage: (storage, disk) =>
      overridden(storage, (_inner, segments) => ({
        async close() {
          if (segments.length > 0) CLOSING.add(disk)
          await storage.close()
        },
      })),
  },
  {
    name: 'locates entries that do not exist',
    caughtBy: 'locate/unknown',
    also: ['locate/stays-inside'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        locate: (reference) =>
          inner.locate(reference) ?? { address: `tiny:${reference}`, command: `tiny '${reference}'` },
      })),
  },
  {
    name: 'locates entries in a parent folder',
    caughtBy: 'locate/stays-inside',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        locate(reference) {
          const location = inner.locate(reference)
          return location && { ...location, address: `tiny:/../${reference}` }
        },
      })),
  },
  {
    name: 'does not quote paths in its command',
    caughtBy: 'locate/command-prints',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      driver.locate = (id) => ({ address: `tiny:${id}`, command: `tiny ${id}` })
      return driver
    },
  },
  {
    name: 'locates deleted entries',
    caughtBy: 'locate/unknown',
    storage: (storage) =>
      overridden(storage, (inner) => {
        let latest: { reference: string; location: ReturnType<typeof inner.locate> } | undefined
        return {
          async delete(reference, options) {
            latest = { reference, location: inner.locate(reference) }
            await inner.delete(reference, options)
          },
          locate: (reference) => (latest?.reference === reference ? latest.location : inner.locate(reference)),
        }
      }),
  },
]

const OWN = new WeakMap<TinyDisk, readonly TinyDisk[]>()
const DELETED = new WeakMap<TinyDisk, Map<EntryId, TinyRecord>>()
const CLOSING = new WeakSet<TinyDisk>()
