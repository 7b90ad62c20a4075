import { orAborted as waitOrAbort } from '@spillway/text/internal'

/**
 * Why a storage operation failed. The codes are API: they do not change within a major version.
 *
 * - `not-found`: nothing is stored under the reference in this scope.
 * - `evicted`: it was stored, and removed by turn, age or quota. See {@link StorageError.eviction}.
 * - `invalid-reference`: the text cannot be a reference (a path, a URI, wrong characters, too long).
 * - `invalid-key`: a key or a scope segment is not usable.
 * - `too-large`: the content is larger than the storage takes.
 * - `unavailable`: the backend could not be reached or refused the operation; an outage is never a miss.
 * - `corrupt`: what the backend returned is not what was stored.
 * - `unsupported`: the storage lacks the capability that was asked for.
 * - `aborted`: the caller's `AbortSignal` fired.
 */
export type StorageErrorCode =
  | 'not-found'
  | 'evicted'
  | 'invalid-reference'
  | 'invalid-key'
  | 'too-large'
  | 'unavailable'
  | 'corrupt'
  | 'unsupported'
  | 'aborted'

/** Why an entry was evicted: unused for too many turns, unused for too long, or to make room under a quota. */
export type EvictionReason = 'turns' | 'age' | 'quota'

/** What is remembered of an evicted entry. */
export interface Eviction {
  readonly reason: EvictionReason
  /** When it was evicted, in milliseconds since the epoch. */
  readonly evictedAt: number
  /** The metadata of the entry, such as the name of the tool to run again. */
  readonly metadata: Readonly<Record<string, string>>
}

/** What a {@link StorageError} carries beside its code and message. */
export interface StorageErrorDetails {
  readonly reference?: string | undefined
  readonly key?: string | undefined
  /** Whether trying again later can succeed. Defaults to `true` for `unavailable`, else `false`. */
  readonly retryable?: boolean | undefined
  /** Set with the code `evicted`. */
  readonly eviction?: Eviction | undefined
  readonly cause?: unknown
}

const BRAND: unique symbol = Symbol.for('spillway.storage-error') as never

/**
 * The one error class of storage: a stable `code`, the `reference` or `key` concerned, and the original failure in `cause`.
 *
 * Messages are prose for people and models: they say what to do next and may change.
 *
 * @example
 * ```ts
 * import { StorageError } from '@spillway/core'
 *
 * const error = new StorageError('unavailable', 'The bucket did not answer. Try again.', { reference: 'call_1_0_abc' })
 * console.assert(StorageError.isInstance(error) && error.code === 'unavailable' && error.retryable)
 * ```
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode
  readonly reference: string | undefined
  readonly key: string | undefined
  readonly retryable: boolean
  readonly eviction: Eviction | undefined

  constructor(code: StorageErrorCode, message: string, details: StorageErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.reference = details.reference
    this.key = details.key
    this.retryable = details.retryable ?? code === 'unavailable'
    this.eviction = details.eviction
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** Tell whether `value` is a `StorageError`, also one made by another installed copy of this package. */
  static isInstance(value: unknown): value is StorageError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
  }
}

/** What was being done when a driver failed. */
interface GuardedAction {
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

const WHY: Readonly<Record<EvictionReason, string>> = {
  turns: 'it went unused for too many turns',
  age: 'it went unused for too long',
  quota: 'room was needed for newer content',
}

/** Say that an entry was never there, or what became of it and how to get its content again. */
export function missingError(reference: string, eviction: Eviction | undefined, cause?: unknown): StorageError {
  if (eviction === undefined)
    return new StorageError('not-found', `Nothing is stored under ${reference} here. Check the reference.`, {
      reference,
      cause,
    })
  const when = new Date(eviction.evictedAt).toISOString()
  const tool = eviction.metadata['tool']
  const again =
    tool === undefined ? 'Run the tool that produced it again.' : `Run the tool ${JSON.stringify(tool)} again.`
  return new StorageError('evicted', `${reference} was removed at ${when}: ${WHY[eviction.reason]}. ${again}`, {
    reference,
    eviction,
  })
}

/** Say that what a backend returned for an entry is not what was stored; `why` goes on from "cannot be read: ". */
export function corruptError(id: string, why: string): StorageError {
  const reference = id.slice(id.lastIndexOf('/') + 1)
  return new StorageError('corrupt', `${reference} cannot be read: ${why}`, { reference })
}
