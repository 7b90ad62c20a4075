import { splitId, type EntryId } from '../storage/entry-names.ts'
import { StorageError } from '../storage/storage-error.ts'

/** Make the error `not-found` of an entry that was removed while it was read. */
export const removedError = (reference: string): StorageError =>
  new StorageError('not-found', `${reference} was removed while it was read. Check the reference.`, { reference })

/** Make the error `corrupt` of an entry whose rows in a database are damaged. */
export function damagedRowsError(id: EntryId): StorageError {
  const { reference } = splitId(id)
  const message = `${reference} is damaged in the database. Delete it, and store the content again.`
  return new StorageError('corrupt', message, { reference })
}

/** Return the code of an error, such as `ECONNREFUSED`. Returns an empty text if the error has none. */
export function errorCode(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown }
  return typeof code === 'string' ? code : ''
}
