import { StorageError } from '@spillway/core'

/** Say that what is stored under a name is not what a history stored there. */
export const corrupt = (name: string, cause?: unknown): StorageError =>
  new StorageError('corrupt', `${name} does not hold what the history says. Leave the reference in its place.`, {
    reference: name,
    cause,
  })

/** Read what was stored; what it cannot be read as is `corrupt`. */
export function readStored<Result>(name: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)) throw error
    throw corrupt(name, error)
  }
}
