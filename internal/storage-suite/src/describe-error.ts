import { StorageError } from '@spillway/core/driver'

/** Put what went wrong into one line, with its code. */
export function describeError(error: unknown): string {
  return StorageError.isInstance(error) ? `${error.code}: ${error.message}` : String(error)
}
