import { orAborted as waitOrAbort, yieldWhenDue } from '@spillway/text/internal'

/**
 * Code of a storage failure. Codes do not change within a major version.
 *
 * - `not-found`: nothing is stored under the reference in this scope.
 * - `evicted`: the entry was removed because of turns, age or quota. See {@link StorageError.eviction}.
 * - `invalid-reference`: the text cannot be a reference, for example a path or a URI.
 * - `invalid-key`: a key or a scope segment is invalid.
 * - `too-large`: the content exceeds the storage's limit.
 * - `unavailable`: the backend could not be reached or refused the operation.
 * - `corrupt`: the backend returned other content than what was stored.
 * - `unsupported`: the storage lacks the requested capability.
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

/** Reason of an eviction: unused for too many turns, unused for too long, or over the quota. */
export type EvictionReason = 'turns' | 'age' | 'quota'

/** Tombstone of an evicted entry. */
export interface Eviction {
  readonly reason: EvictionReason
  /** Time of the eviction, in milliseconds since the epoch. */
  readonly evictedAt: number
  /** Metadata of the entry, for example the name of the tool to run again. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Details of a {@link StorageError} other than its code and message. */
export interface StorageErrorDetails {
  readonly reference?: string | undefined
  readonly key?: string | undefined
  /** Whether a retry can succeed. Defaults to `true` for `unavailable`, else to `false`. */
  readonly retryable?: boolean | undefined
  /** Set if the code is `evicted`. */
  readonly eviction?: Eviction | undefined
  readonly cause?: unknown
}

/** The page that explains all codes, on GitHub, which can be reached even if other sites are blocked. */
const ERROR_PAGE = 'https://github.com/spillway-js/spillway/blob/main/docs/errors.md'

const BRAND: unique symbol = Symbol.for('spillway.storage-error') as never

/**
 * Error of a storage operation, with a stable `code` and the original failure in `cause`. Messages may change.
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
  /** URL of a page with causes and fixes. The message has no URL, because models read messages. */
  readonly help: string

  constructor(code: StorageErrorCode, message: string, details: StorageErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.reference = details.reference
    this.key = details.key
    this.retryable = details.retryable ?? code === 'unavailable'
    this.eviction = details.eviction
    this.help = `${ERROR_PAGE}#${code}`
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** Check whether a value is a `StorageError`. Errors of another installed copy of this package count too. */
  static isInstance(value: unknown): value is StorageError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
  }
}

/** Returns `undefined` if an operation fails with a `StorageError` of one of the codes. Without codes, of any code. */
export async function unlessFailed<Result>(
  operation: Promise<Result>,
  ...codes: readonly StorageErrorCode[]
): Promise<Result | undefined> {
  try {
    return await operation
  } catch (error) {
    if (StorageError.isInstance(error) && (codes.length === 0 || codes.includes(error.code))) return undefined
    throw error
  }
}

interface GuardedAction {
  /** A verb, which completes the message "The storage could not …". */
  readonly action: string
  readonly reference?: string
  readonly key?: string
  readonly caller?: unknown
}

/** Marks a failure of the caller's own stream, so that it is not reported as a failure of the backend. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  constructor(cause: unknown) {
    super('The stream to store failed.', { cause })
  }
}

export async function guard<Result>(action: GuardedAction, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw asStorageError(action, error)
  }
}

/** Yields the items of a backend. A backend in memory would otherwise block the event loop until the last item. */
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
      await yieldWhenDue(action.caller)
    }
  } finally {
    if (!done) await guard(action, async () => iterator.return?.())
  }
}

export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedError(signal)
}

const abortedError = (signal: AbortSignal): StorageError =>
  new StorageError('aborted', 'The operation was aborted by its signal.', { cause: signal.reason })

/** Wait for a result. If the signal fires first, reject, and call `release` with the result when it arrives. */
export async function orAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
  release?: (result: Result) => Promise<void>,
): Promise<Result> {
  return await waitOrAbort(promise, signal, abortedError).catch((error: unknown) => {
    if (release !== undefined) void Promise.allSettled([promise.then(release)])
    throw error
  })
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

/** Creates an error for damaged content. `why` completes the message after "cannot be read:". */
export function corruptError(id: string, why: string): StorageError {
  const reference = id.slice(id.lastIndexOf('/') + 1)
  return new StorageError('corrupt', `${reference} cannot be read: ${why}`, { reference })
}
