import { splitId } from './entry-id.ts'
import type { EntryId } from './storage-driver.ts'
import { StorageError } from './storage-error.ts'

/** Say that what a backend returned for an entry is not what was stored; `why` goes on from "cannot be read: ". */
export function corruptError(id: EntryId, why: string): StorageError {
  const { reference } = splitId(id)
  return new StorageError('corrupt', `${reference} cannot be read: ${why}`, { reference })
}
