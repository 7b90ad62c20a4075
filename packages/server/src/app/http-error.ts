import { StorageError, type RetrievalErrorCode } from '@spillway/core'
import { PatternError } from '@spillway/core/files'

/**
 * The code of a refused request, in addition to the codes of storage and retrieval.
 *
 * Codes are part of the API and stable within a major version.
 *
 * - `invalid-json`: the body is not JSON in UTF-8.
 * - `invalid-request`: a field is missing, unknown or of the wrong type.
 * - `invalid-path`: a path or glob cannot name virtual files.
 * - `unsupported-media-type`: the body has the wrong type for the endpoint.
 * - `unauthorized`: the token is unknown. `forbidden`: the `Host` or `Origin` is not allowed.
 * - `no-such-endpoint`, `method-not-allowed`: the path or method does not exist.
 * - `request-timeout`: the request arrived too slowly.
 * - `range-not-satisfiable`: the range starts beyond the end.
 * - `rate-limited`, `overloaded`, `shutting-down`: try again after the seconds in `Retry-After`.
 * - `no-model`: summaries need a model, and the service has none.
 * - `model-failed`: the model did not return a usable summary.
 * - `internal`: a bug or failure of the service.
 */
export type HttpErrorCode =
  | 'invalid-json'
  | 'invalid-request'
  | 'invalid-path'
  | 'unsupported-media-type'
  | 'unauthorized'
  | 'forbidden'
  | 'no-such-endpoint'
  | 'method-not-allowed'
  | 'request-timeout'
  | 'range-not-satisfiable'
  | 'too-large'
  | 'rate-limited'
  | 'overloaded'
  | 'shutting-down'
  | 'no-model'
  | 'model-failed'
  | 'internal'

const STATUS: Readonly<Record<FailureCode, number>> = {
  'invalid-json': 400,
  'invalid-request': 422,
  'invalid-path': 400,
  'unsupported-media-type': 415,
  unauthorized: 401,
  forbidden: 403,
  'no-such-endpoint': 404,
  'method-not-allowed': 405,
  'request-timeout': 408,
  'range-not-satisfiable': 416,
  'too-large': 413,
  'rate-limited': 429,
  overloaded: 503,
  'shutting-down': 503,
  'no-model': 422,
  'model-failed': 502,
  internal: 500,
  'not-found': 404,
  evicted: 410,
  'invalid-reference': 400,
  'invalid-key': 400,
  unavailable: 503,
  corrupt: 500,
  unsupported: 501,
  aborted: 503,
  'invalid-input': 422,
  'invalid-range': 416,
  'pattern-timeout': 422,
  'invalid-sql': 422,
  'sql-timeout': 422,
  'pattern-refused': 422,
  'not-text': 422,
  'invalid-json-path': 422,
  'not-json': 422,
  'not-a-table': 422,
  'unknown-column': 422,
}

interface HttpErrorDetails extends ErrorOptions {
  /** Delay before a retry, in seconds. */
  readonly retryAfter?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A refused request. Its message contains the fix, and nothing that a caller may not see. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code: HttpErrorCode
  readonly status: number
  readonly retryAfter: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: HttpErrorCode, message: string, { retryAfter, headers = {}, ...options }: HttpErrorDetails = {}) {
    super(message, options)
    this.code = code
    this.status = STATUS[code]
    this.retryAfter = retryAfter
    this.headers = headers
  }
}

/** The code of a failed request. */
export type FailureCode = HttpErrorCode | RetrievalErrorCode

export interface Failure {
  readonly status: number
  readonly code: FailureCode
  readonly message: string
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  readonly headers: Readonly<Record<string, string>>
}

const BACKEND_RETRY_SECONDS = 5

/** Describe any error for the caller. Internal details are left out. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof HttpError) {
    const { status, code, message, retryAfter, headers } = error
    const retry = retryAfter === undefined ? {} : { 'retry-after': `${Math.max(1, Math.ceil(retryAfter))}` }
    return { status, code, message, retryable: retryAfter !== undefined, headers: { ...headers, ...retry } }
  }
  if (StorageError.isInstance(error)) return storageFailure(error)
  if (error instanceof DOMException && error.name === 'TimeoutError') return describeFailure(tookTooLong())
  if (error instanceof PatternError) return retrievalFailure('pattern-refused', error.message)
  return {
    status: 500,
    code: 'internal',
    message: 'The service failed. Its log says more.',
    retryable: false,
    headers: {},
  }
}

export function retrievalFailure(code: RetrievalErrorCode, message: string): Failure {
  const retryable = code === 'unavailable'
  const headers: Record<string, string> = retryable ? { 'retry-after': `${BACKEND_RETRY_SECONDS}` } : {}
  return { status: STATUS[code], code, message, retryable, headers }
}

const tookTooLong = (): HttpError =>
  new HttpError('overloaded', 'The request took too long. Request less content at a time.', {
    retryAfter: BACKEND_RETRY_SECONDS,
  })

function storageFailure({ code, message, cause }: StorageError): Failure {
  if (code === 'aborted') return describeFailure(tookTooLong())
  // Messages of backends may contain names of hosts and folders.
  const isOfBackend = cause !== undefined && (code === 'unavailable' || code === 'corrupt')
  return retrievalFailure(code, isOfBackend ? 'The storage could not be used. Try again later.' : message)
}
