import { StorageError, type RetrievalErrorCode } from '@spillway/core'
import { PatternError } from '@spillway/core/files'
import { HttpError, type HttpErrorCode } from './http-error.ts'

/** A code that a failed request is answered with. */
export type FailureCode = HttpErrorCode | RetrievalErrorCode

/** What a caller is told of a failure. */
export interface Failure {
  readonly status: number
  readonly code: FailureCode
  readonly message: string
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  readonly headers: Readonly<Record<string, string>>
}

const RETRIEVAL_STATUS: Readonly<Record<RetrievalErrorCode, number>> = {
  'not-found': 404,
  evicted: 410,
  'invalid-reference': 400,
  'invalid-key': 400,
  'too-large': 413,
  unavailable: 503,
  corrupt: 500,
  unsupported: 501,
  aborted: 503,
  'invalid-input': 422,
  'invalid-range': 416,
  'pattern-timeout': 422,
  'pattern-refused': 422,
  'not-text': 422,
  'invalid-json-path': 422,
  'not-json': 422,
  'not-a-table': 422,
  'unknown-column': 422,
}

/** Seconds after which a backend that is down is asked again. */
const BACKEND_RETRY_SECONDS = 5

/** Say for any error how a request is answered. Of what is nobody's business no word is told. */
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

/** Say how a failure of the retrieval tool is answered. */
export function retrievalFailure(code: RetrievalErrorCode, message: string): Failure {
  const retryable = code === 'unavailable'
  const headers: Record<string, string> = retryable ? { 'retry-after': `${BACKEND_RETRY_SECONDS}` } : {}
  return { status: RETRIEVAL_STATUS[code], code, message, retryable, headers }
}

/** Where neither the client nor the service has ended, only the time of a request is left. */
const tookTooLong = (): HttpError =>
  new HttpError('overloaded', 'The request took longer than it may. Ask for less at a time.', {
    retryAfter: BACKEND_RETRY_SECONDS,
  })

function storageFailure({ code, message, cause }: StorageError): Failure {
  if (code === 'aborted') return describeFailure(tookTooLong())
  // What a backend says of itself may name its hosts and folders.
  const isOfBackend = cause !== undefined && (code === 'unavailable' || code === 'corrupt')
  return retrievalFailure(code, isOfBackend ? 'The storage could not be used. Try again later.' : message)
}
