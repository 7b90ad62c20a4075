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
