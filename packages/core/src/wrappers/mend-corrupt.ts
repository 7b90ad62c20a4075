import { BoundedMap } from '@spillway/text/internal'
import type { StorageDriver } from '../storage/storage-driver.ts'
import type { EntryId } from '../storage/reference.ts'
import { StorageError } from '../storage/storage-error.ts'

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

const MAX_NOTED = 1_000

/**
 * Entries that a wrapper cannot read, as this process has found out. The backend sees nothing wrong with them: it would
 * say that they are there, and storing them again would mend nothing.
 */
export class CorruptEntries {
  readonly #ids = new BoundedMap<EntryId, true>(MAX_NOTED)

  has(id: EntryId): boolean {
    return this.#ids.get(id) !== undefined
  }

  /** Forget an entry that was removed, or read as a whole. */
  forget(id: EntryId): void {
    this.#ids.delete(id)
  }

  /** Do something with an entry, and note it where that is `corrupt`. */
  async watch<Answer>(id: EntryId, run: () => Promise<Answer>): Promise<Answer> {
    try {
      return await run()
    } catch (error) {
      if (StorageError.isInstance(error) && error.code === 'corrupt') this.#ids.set(id, true)
      throw error
    }
  }

  /** Write an entry, in the place of the one that is corrupt: it then counts as one that was there already. */
  async replace(
    id: EntryId,
    remove: () => Promise<boolean>,
    write: () => ReturnType<StorageDriver['write']>,
  ): ReturnType<StorageDriver['write']> {
    if (!this.has(id)) return await write()
    const wasThere = await remove()
    this.forget(id)
    const written = await write()
    if (!wasThere) return written
    return typeof written === 'object' ? { ...written, created: false } : false
  }
}

/** Return those methods and properties of a driver that it has, to be part of another one. */
export function passedOn<Name extends keyof StorageDriver>(
  driver: StorageDriver,
  names: readonly Name[],
): Partial<Pick<StorageDriver, Name>> {
  const present = names.filter((name) => driver[name] !== undefined)
  return Object.fromEntries(
    present.map((name) => {
      const value: unknown = driver[name]
      return [name, typeof value === 'function' ? value.bind(driver) : value]
    }),
  ) as Partial<Pick<StorageDriver, Name>>
}
