import { CorruptEntries } from './corrupt-entries.ts'
import type { StorageDriver } from './storage-driver.ts'

/**
 * Let storing again mend what the driver of a wrapper finds `corrupt`: such an entry is not touched, and is removed before
 * it is written.
 */
export function mendCorrupt(driver: StorageDriver): StorageDriver {
  const corrupt = new CorruptEntries()
  const { stat, open, touch } = driver
  return {
    ...driver,
    write: (id, chunks, info, lineIndex) =>
      corrupt.watch(id, () =>
        corrupt.replace(
          id,
          () => driver.remove(id),
          () => driver.write(id, chunks, info, lineIndex),
        ),
      ),
    read: (id, range) =>
      corrupt.watch(id, async () => {
        const found = await driver.read(id, range)
        if (found !== undefined && range === undefined) corrupt.forget(id)
        return found
      }),
    async remove(id) {
      const wasThere = await driver.remove(id)
      corrupt.forget(id)
      return wasThere
    },
    ...(stat === undefined ? {} : { stat: (id) => corrupt.watch(id, () => stat(id)) }),
    ...(open === undefined
      ? {}
      : {
          async open(id) {
            const entry = await corrupt.watch(id, () => open(id))
            if (entry === undefined) return undefined
            return {
              info: entry.info,
              read: (range, buffer) => corrupt.watch(id, () => entry.read(range, buffer)),
              close: () => entry.close(),
            }
          },
        }),
    ...(touch === undefined ? {} : { touch: async (id, at) => (corrupt.has(id) ? undefined : touch(id, at)) }),
  }
}
