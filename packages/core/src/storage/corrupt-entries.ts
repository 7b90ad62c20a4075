import { BoundedMap } from '@spillway/text/internal'
import { StorageError } from './storage-error.ts'
import type { EntryId, StorageDriver } from './storage-driver.ts'

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
