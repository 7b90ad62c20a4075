import { StorageError, type StorageErrorCode } from '@spillway/core'

const MISSES: ReadonlySet<StorageErrorCode> = new Set<StorageErrorCode>(['not-found', 'evicted', 'invalid-reference'])

/** Tell whether something failed because nothing is stored there, any more or ever, and not by an outage. */
export const isMiss = (error: unknown): boolean => StorageError.isInstance(error) && MISSES.has(error.code)

/** Wait for what is stored under a name; `undefined` where nothing is, any more or ever. Rejects with all other failures. */
export async function unlessMissing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    if (isMiss(error)) return undefined
    throw error
  }
}
