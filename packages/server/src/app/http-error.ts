/**
 * Why a request failed, beside the codes of storage and of retrieval. The codes are API: they do not change within a
 * major version.
 *
 * - `invalid-json`: the body is no JSON in UTF-8.
 * - `invalid-request`: a field is missing, unknown or of the wrong type.
 * - `invalid-path`: a path or a glob cannot name virtual files.
 * - `unsupported-media-type`: the body is not of the type that the endpoint takes.
 * - `unauthorized`, `forbidden`: no known token; a `Host` or `Origin` that is not allowed.
 * - `no-such-endpoint`, `method-not-allowed`: there is nothing under that path, or not with that method.
 * - `request-timeout`: the client sent its request too slowly.
 * - `range-not-satisfiable`: what was asked for begins beyond the end.
 * - `rate-limited`, `overloaded`, `shutting-down`: try again after the seconds in `Retry-After`.
 * - `no-model`: summaries need a model, and the service was started without one.
 * - `model-failed`: the model gave no summary that can be used.
 * - `internal`: a fault of the service.
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

const STATUS: Readonly<Record<HttpErrorCode, number>> = {
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
}

/** What an {@link HttpError} carries beside its code and message. */
export interface HttpErrorDetails extends ErrorOptions {
  /** Seconds after which trying again makes sense. */
  readonly retryAfter?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A request that is refused; its message says what to do, and may be shown to anybody who may call. */
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
