import { StorageError } from '@spillway/core/driver'

/** Describe an error in one line, with its code. */
export function describeError(error: unknown): string {
  return StorageError.isInstance(error) ? `${error.code}: ${error.message}` : String(error)
}
