import type { ManagedStorage, Storage, StoredInfo } from '@spillway/core'
import { StorageError } from '@spillway/core/driver'
import { TinyDriver } from '../../../packages/core/test/tiny-driver.ts'
import { overridden, unlessRefused, type Fault } from './fault.ts'

export const useFaults: readonly Fault[] = [
  {
    name: 'fails to delete a missing entry',
    caughtBy: 'delete/nothing-is-fine',
    storage: (storage) =>
      overridden(storage, (inner, segments) => ({
        async delete(reference, options) {
          if (segments.length === 0 && reference.startsWith('call_') && reference !== 'call_1_?')
            await inner.stat(reference)
          await inner.delete(reference, options)
        },
      })),
  },
  {
    name: 'lists deleted entries',
    caughtBy: 'delete/removes',
    storage: (storage) => {
      const hidden = new Map<string, StoredInfo>()
      return overridden(storage, (inner) => ({
        async delete(reference, options) {
          const info = await unlessRefused(() => inner.stat(reference))
          if (info?.key === 'first' && info.size === 5 && info.storedAt === info.lastUsedAt) hidden.set(reference, info)
          await inner.delete(reference, options)
        },
        async *list(options) {
          yield* inner.list(options)
          yield* hidden.values()
        },
      }))
    },
  },
  {
    name: 'leaves the metadata file of deleted entries',
    caughtBy: 'delete/leaves-no-record',
    also: ['clear/leaves-no-record', 'kill/leftovers-are-collected'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const remove = driver.remove.bind(driver)
      driver.remove = async (id) => {
        const removed = await remove(id)
        if (removed) disk.unfinished.set(`sidecar of ${id}`, { since: Infinity, bytes: 0 })
        return removed
      }
      return driver
    },
  },
  {
    name: 'cannot store cleared entries again',
    caughtBy: 'store/after-a-miss',
    storage: (storage) =>
      overridden(storage, (inner) => {
        let isCleared = false
        return {
          async clear(options) {
            isCleared = true
            return inner.clear(options)
          },
          async store(key, content, type, options) {
            if (isCleared && options?.onStored !== undefined) throw new Error('no such table')
            return inner.store(key, content, type, options)
          },
        }
      }),
  },
  {
    name: 'clears at most a hundred entries',
    caughtBy: 'clear/beyond-one-page',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async clear(options) {
          let entries = 0
          for await (const info of inner.list(options)) entries += info.reference === '' ? 0 : 1
          if (entries <= 100) return inner.clear(options)
          for await (const { reference } of inner.list(options)) if ((entries -= 1) >= 20) await inner.delete(reference)
          return 100
        },
      })),
  },
  {
    name: 'deletes an entry even if it was used after unusedSince',
    caughtBy: 'undo/keeps-an-older-entry',
    also: ['undo/in-parallel', 'instances/one-creates'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        delete: (reference, options) =>
          inner.delete(reference, options?.unusedSince === undefined ? options : { ...options, unusedSince: Infinity }),
      })),
  },
  {
    name: 'deletes nothing if unusedSince is given',
    caughtBy: 'undo/keeps-an-older-entry',
    also: ['outage/delete-unused'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async delete(reference, options) {
          if (options?.unusedSince === undefined) await inner.delete(reference, options)
        },
      })),
  },
  {
    name: 'records the same time for two uses within a millisecond',
    caughtBy: 'undo/keeps-an-older-entry',
    also: ['store/receipt', 'undo/in-parallel', 'instances/one-creates'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      driver.use = (id, lastUsedAt) => {
        const record = disk.records.get(id)
        if (record === undefined) return undefined
        record.info = { ...record.info, lastUsedAt: Math.max(lastUsedAt, record.info.lastUsedAt) }
        return record.info.lastUsedAt
      }
      return driver
    },
  },
  {
    name: 'does not record reads as use',
    caughtBy: 'undo/every-use',
    also: ['quota/evicts-least-recently-used'],
    storage: (storage, disk) =>
      overridden(storage, (inner) => ({
        async retrieve(reference, options) {
          const before = new Map([...disk.records].map(([id, { info }]) => [id, info]))
          const found = await inner.retrieve(reference, options)
          for (const [id, info] of before) {
            const record = disk.records.get(id)
            if (id.endsWith(reference) && record !== undefined) record.info = info
          }
          return found
        },
      })),
  },
  {
    name: 'evicts one turn too early',
    caughtBy: 'turns/evicts-after-exactly-n',
    also: ['turns/revived-by-storing', 'turns/earlier-instance'],
    options: (settings) =>
      settings.evictAfterTurns === undefined || settings.evictAfterTurns < 2
        ? settings
        : { ...settings, evictAfterTurns: settings.evictAfterTurns - 1 },
  },
  {
    name: 'does not count retrieving as use',
    caughtBy: 'turns/every-use',
    storage: withoutTurns((other) => ({ retrieve: (...parameters) => other.retrieve(...parameters) })),
  },
  {
    name: 'does not count retrieving a range as use',
    caughtBy: 'turns/every-use',
    storage: withoutTurns((other) => ({ retrieveRange: (...parameters) => other.retrieveRange(...parameters) })),
  },
  {
    name: 'does not count another store as use',
    caughtBy: 'turns/every-use',
    storage: (storage) =>
      overridden(storage, (inner) => {
        const stored = new Set<string>()
        return {
          async store(key, content, type, options) {
            const reference = [...stored].find((known) => known.startsWith('key_'))
            if (key === 'key' && reference !== undefined) return reference
            stored.add(await inner.store(key, content, type, options))
            return [...stored].at(-1) ?? ''
          },
        }
      }),
  },
  {
    name: 'counts stat as use',
    caughtBy: 'turns/evicts-after-exactly-n',
    also: ['turns/earlier-instance', 'age/expires'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async stat(reference, options) {
          const info = await inner.stat(reference, options)
          if (info.key === 'call_1_0' && info.size === 7) await inner.retrieveRange(reference, { offset: 0, length: 0 })
          return info
        },
      })),
  },
  {
    name: 'counts listing as use',
    caughtBy: 'turns/every-use',
    also: ['age/every-use'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async *list(options) {
          for await (const info of inner.list(options)) {
            yield info
            if (info.size === 7 && info.key === 'key') await unlessRefused(() => inner.retrieve(info.reference))
          }
        },
      })),
  },
  {
    name: 'ends a turn in all scopes at once',
    caughtBy: 'turns/alike-scopes',
    storage: (storage) => {
      const scopes = new Map<string, Required<Storage>>()
      return overridden(storage, (inner, segments) => {
        scopes.set(segments.join('/'), inner)
        return {
          async endTurn() {
            const report = await inner.endTurn()
            for (const scope of new Set(scopes.values())) if (scope !== inner) await scope.endTurn()
            return report
          },
        }
      })
    },
  },
  {
    name: 'does not remember evicted entries',
    caughtBy: 'turns/evicts-after-exactly-n',
    also: ['turns/tombstones-bounded', 'age/expires', 'gc/removes-the-expired', 'quota/evicts-least-recently-used'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      driver.findEviction = async () => {
        await driver.reach()
        return undefined
      }
      return driver
    },
  },
  {
    name: 'reports every missing entry as evicted',
    caughtBy: 'turns/never-stored-is-not-found',
    storage: (storage) =>
      overridden(storage, (inner) => {
        let hasEvicted = false
        return {
          async endTurn() {
            const report = await inner.endTurn()
            hasEvicted ||= report.evicted.length > 0
            return report
          },
          async retrieve(reference, options) {
            try {
              return await inner.retrieve(reference, options)
            } catch (error) {
              if (!hasEvicted || !StorageError.isInstance(error) || error.code !== 'not-found') throw error
              if (!reference.startsWith('deleted')) throw error
              const eviction = { reason: 'turns', evictedAt: 0, metadata: {} } as const
              throw new StorageError('evicted', 'It has been evicted.', { reference, eviction })
            }
          },
        }
      }),
  },
  {
    name: 'remembers all evicted entries forever',
    caughtBy: 'turns/tombstones-bounded',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      driver.bury = (id, eviction) => void disk.tombstones.set(id, eviction)
      return driver
    },
  },
  {
    name: 'does not restore evicted entries that are stored again',
    caughtBy: 'turns/revived-by-storing',
    storage: (storage) =>
      overridden(storage, (inner) => {
        const evicted = new Set<string>()
        return {
          async endTurn() {
            const report = await inner.endTurn()
            for (const { reference } of report.evicted) evicted.add(reference)
            return report
          },
          async retrieve(reference, options) {
            const found = await inner.retrieve(reference, options)
            if (!evicted.has(reference)) return found
            throw new StorageError('evicted', 'It has been evicted.', { reference })
          },
        }
      }),
  },
  {
    name: 'counts turns only for entries of this instance',
    caughtBy: 'turns/earlier-instance',
    driver: (disk) => Object.assign(new TinyDriver(disk), { ephemeral: true }),
  },
  {
    name: 'counts the age from the first store',
    caughtBy: 'age/revived-by-storing',
    also: [
      'gc/never-takes-what-a-store-found',
      'gc/never-takes-what-another-instance-found',
      'quota/evicts-least-recently-used',
    ],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      driver.use = (id, lastUsedAt) => {
        const record = disk.records.get(id)
        if (record === undefined) return undefined
        const moved = Math.min(lastUsedAt, record.info.storedAt + 1_000)
        record.info = { ...record.info, lastUsedAt: Math.max(moved, record.info.lastUsedAt + 1) }
        return record.info.lastUsedAt
      }
      return driver
    },
  },
  {
    name: 'never expires entries',
    caughtBy: 'age/expires',
    also: ['gc/beyond-one-page', 'gc/removes-the-expired', 'gc/leaves-no-record'],
    options: ({ ttlMs: _ttlMs, ...settings }) => settings,
  },
  {
    name: 'lists expired entries',
    caughtBy: 'age/expires',
    storage: (storage, disk) =>
      overridden(storage, (inner, segments) => ({
        async *list(options) {
          const listed = new Set(options?.except)
          for await (const info of inner.list(options)) {
            listed.add(info.reference)
            yield info
          }
          if (segments.length > 0 || disk.isDown) return
          for (const [reference, { info }] of disk.records)
            if (!listed.has(reference) && !reference.includes('/')) yield { reference, ...info, state: 'complete' }
        },
      })),
  },
  {
    name: 'collects expired entries without checking their last use again',
    caughtBy: 'gc/never-takes-what-a-store-found',
    also: ['gc/never-takes-what-another-instance-found'],
    storage: (storage, disk) =>
      overridden(storage, (inner, segments) => ({
        async gc(options) {
          if (segments.length > 0) return inner.gc(options)
          const expired = [...disk.records].filter(
            ([, { info }]) => info.key === 'expiring' && disk.now() > info.lastUsedAt + 600_000,
          )
          for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
          for (const [id] of expired) disk.records.delete(id)
          return inner.gc(options)
        },
      })),
  },
  {
    name: 'evicts without a lock, so that another instance can use the entry before',
    caughtBy: 'gc/never-takes-what-another-instance-found',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      driver.evict = async (id, unusedSince, eviction) => {
        await driver.reach()
        const record = disk.records.get(id)
        if (record === undefined || record.info.lastUsedAt > unusedSince) return false
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
        disk.records.delete(id)
        if (eviction !== undefined) driver.bury(id, eviction)
        return true
      }
      return driver
    },
  },
  {
    name: 'also collects entries outside of the scope',
    caughtBy: 'gc/alike-scopes',
    storage: (storage) => overridden(storage, () => ({ gc: (options) => storage.gc(options) })),
  },
  {
    name: 'removes old entries even if no age is set',
    caughtBy: 'gc/nothing-to-do',
    storage: (storage, disk) =>
      overridden(storage, (inner) => ({
        async gc(options) {
          const report = await inner.gc(options)
          for (const [id, { info }] of disk.records)
            if (disk.now() - info.lastUsedAt > 500 * 600_000) disk.records.delete(id)
          return report
        },
      })),
  },
  {
    name: 'has no quota',
    caughtBy: 'quota/holds',
    also: ['quota/evicts-least-recently-used', 'quota/too-large', 'quota/earlier-instance'],
    options: ({ maxBytes: _maxBytes, ...settings }) => settings,
  },
  {
    name: 'evicts half of a scope to free space',
    caughtBy: 'quota/evicts-least-recently-used',
    also: ['quota/deleting-makes-room', 'quota/earlier-instance'],
    storage: (storage) =>
      overridden(storage, (inner, segments) => ({
        async store(key, content, type, options) {
          const reference = await inner.store(key, content, type, options)
          if (key !== 'third' || (type === undefined && segments.length > 0)) return reference
          for await (const info of inner.list({ below: false }))
            if (info.key === 'first' || info.key === 'second') await evictOne(inner, info)
          return reference
        },
      })),
  },
  {
    name: 'uses one quota for all scopes',
    caughtBy: 'quota/for-each-scope',
    storage: (storage, disk) =>
      overridden(storage, (inner, segments) => ({
        async store(key, content, type, options) {
          const reference = await inner.store(key, content, type, options)
          if (segments.length === 0 || content?.length !== 90_000) return reference
          const total = [...disk.records.values()].reduce((sum, { info }) => sum + info.size, 0)
          const [oldest] = disk.records.keys()
          if (total > 100_000 && oldest !== undefined) disk.records.delete(oldest)
          return reference
        },
      })),
  },
  {
    name: 'counts deleted entries toward the quota',
    caughtBy: 'quota/deleting-makes-room',
    storage: (storage, disk) =>
      overridden(storage, (inner, segments) => {
        let bytes = 0
        return {
          async store(key, content, type, options) {
            const reference = await inner.store(key, content, type, options)
            if (segments.length > 0 || content.length !== 40_000 || type !== undefined) return reference
            bytes += content.length
            const [oldest] = disk.records.keys()
            if (bytes > 100_000 && key === 'third' && oldest !== undefined && disk.records.size === 2)
              disk.records.delete(oldest)
            return reference
          },
        }
      }),
  },
  {
    name: 'counts an entry again toward the quota for each store',
    caughtBy: 'quota/deleting-makes-room',
    storage: (storage, disk) =>
      overridden(storage, (inner) => {
        let bytes = 0
        return {
          async store(key, content, type, options) {
            const reference = await inner.store(key, content, type, options)
            if (key !== 'third' || content.length !== 40_000) return reference
            bytes += content.length
            const [oldest] = disk.records.keys()
            if (bytes > 100_000 && oldest !== undefined) disk.records.delete(oldest)
            return reference
          },
        }
      }),
  },
  {
    name: 'counts parallel stores twice',
    caughtBy: 'quota/parallel-stores-that-fit',
    storage: (storage) =>
      overridden(storage, (inner) => {
        let writing = 0
        return {
          async store(key, content, type, options) {
            writing += 1
            const reference = await inner.store(key, content, type, options)
            if (content?.length === 9_000 && writing === 10 && key === 'call_9')
              for await (const info of inner.list({ below: false }))
                if (info.key === 'call_0') await inner.delete(info.reference)
            return reference
          },
        }
      }),
  },
  {
    name: 'accepts content larger than the quota',
    caughtBy: 'quota/too-large',
    storage: (storage, _disk, _open) =>
      overridden(storage, (inner) => ({
        async store(key, content, type, options) {
          if (content?.byteLength !== 100_001) return inner.store(key, content, type, options)
          return inner.store(key, content.subarray(0, 100_000), type, options)
        },
      })),
  },
]

async function evictOne(storage: Required<Storage>, info: StoredInfo): Promise<void> {
  await storage.delete(info.reference)
}

/** Create a storage that calls the given methods of another instance, in which no turns end. */
function withoutTurns(
  override: (other: Required<Storage>) => Partial<Storage>,
): (storage: ManagedStorage, disk: unknown, open: () => ManagedStorage) => Storage {
  return (storage, _disk, open) => {
    const other = open() as Storage as Required<Storage>
    return overridden(storage, (_inner, segments) =>
      override(segments.length === 0 ? other : (other.scope(...segments) as Required<Storage>)),
    )
  }
}
