import { BoundedMap } from '@spillway/text/internal'
import type { EntryId } from '../storage/entry-names.ts'
import type { CompleteDriver, WrapperKind } from '../storage/storage-driver.ts'
import { StorageError } from '../storage/storage-error.ts'

const MAX_NOTED = 1_000

/**
 * Complete a driver that encodes the entries of another driver. `locate` is missing, because a shell would read encoded
 * bytes. If this process found an entry `corrupt`, storing the entry again removes it first, which repairs it.
 */
export function wrappedDriver(coded: CompleteDriver, kind: WrapperKind): CompleteDriver {
  const { locate: _locate, evictAll: _evictAll, ...driver } = coded
  const corrupt = new BoundedMap<EntryId, true>(MAX_NOTED)
  const isCorrupt = (id: EntryId): boolean => corrupt.get(id) !== undefined
  const watch = async <Answer>(id: EntryId, run: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await run()
    } catch (error) {
      if (StorageError.isInstance(error) && error.code === 'corrupt') corrupt.set(id, true)
      throw error
    }
  }
  const remove = async (id: EntryId): Promise<boolean> => {
    const wasThere = await driver.remove(id)
    corrupt.delete(id)
    return wasThere
  }
  return {
    ...driver,
    layers: [kind, ...driver.layers],
    // Decoding is slow, so core should cache the result.
    isInMemory: false,
    remove,
    // A corrupt entry that was replaced counts as an existing entry.
    write: (id, chunks, info, lineIndex) =>
      watch(id, async () => {
        const wasThere = isCorrupt(id) && (await remove(id))
        const written = await driver.write(id, chunks, info, lineIndex)
        return wasThere ? { ...written, created: false } : written
      }),
    async read(id, range) {
      const found = await watch(id, () => driver.read(id, range))
      if (found !== undefined && range === undefined) corrupt.delete(id)
      return found
    },
    stat: (id) => watch(id, () => driver.stat(id)),
    async open(id) {
      const entry = await watch(id, () => driver.open(id))
      if (entry === undefined) return undefined
      return {
        info: entry.info,
        read: (range, buffer) => watch(id, () => entry.read(range, buffer)),
        close: () => entry.close(),
      }
    },
    touch: async (id, lastUsedAt) => (isCorrupt(id) ? undefined : await driver.touch(id, lastUsedAt)),
  }
}
