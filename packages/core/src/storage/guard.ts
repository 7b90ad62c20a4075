import { orAborted as waitOrAbort } from '@spillway/text/internal'
import { StorageError } from './storage-error.ts'

/** What was being done when a driver failed. */
export interface GuardedAction {
  readonly action:
    | 'store'
    | 'retrieve'
    | 'refresh'
    | 'describe'
    | 'list'
    | 'delete'
    | 'clear'
    | 'evict'
    | 'collect'
    | 'close'
  readonly reference?: string
  readonly key?: string
}

/** Carries a fault of the caller's own stream past the guard, so that it is not taken for one of the backend. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  constructor(cause: unknown) {
    super('The stream to store failed.', { cause })
  }
}

/** Run a driver call and turn its failure into a `StorageError`: `unavailable`, unless the driver says otherwise. */
export async function guard<Result>(action: GuardedAction, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw asStorageError(action, error)
  }
}

/** Iterate over a driver's listing, turning its failure into a `StorageError`. */
export async function* guardIteration<Item>(
  action: GuardedAction,
  run: () => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const iterator = await guard(action, async () => run()[Symbol.asyncIterator]())
  let done = false
  try {
    for (;;) {
      const next = await guard(action, () => iterator.next())
      done = next.done === true
      if (next.done === true) return
      yield next.value
    }
  } finally {
    if (!done) await guard(action, async () => iterator.return?.())
  }
}

/** Reject with `aborted` once the caller's signal has fired. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedError(signal)
}

/** Make the error of an operation whose signal has fired. */
const abortedError = (signal: AbortSignal): StorageError =>
  new StorageError('aborted', 'The operation was aborted by its signal.', { cause: signal.reason })

/** Wait for a promise, or until the signal fires; then reject with `aborted`. */
export async function orAborted<Result>(promise: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  return await waitOrAbort(promise, signal, abortedError)
}

function asStorageError(action: GuardedAction, error: unknown): unknown {
  if (StorageError.isInstance(error)) return error
  if (error instanceof SourceError) return error.cause
  const detail = error instanceof Error ? error.message : String(error)
  const subject =
    action.reference ?? (action.key === undefined ? '' : `content for ${JSON.stringify(action.key.slice(0, 80))}`)
  return new StorageError(
    'unavailable',
    `The storage could not ${action.action}${subject === '' ? '' : ` ${subject}`}: ${detail}. Try again; if it persists, check the backend.`,
    { reference: action.reference, key: action.key, cause: error },
  )
}
