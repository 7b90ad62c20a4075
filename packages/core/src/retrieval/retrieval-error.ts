import type { StorageErrorCode } from '../storage/storage-error.ts'
import type { RetrievalCall } from './retrieval-call.ts'

/**
 * Why a call of the retrieval tool failed. The codes are API: they do not change within a major version.
 *
 * Beside those of storage:
 *
 * - `invalid-input`: a parameter is missing, unknown or of the wrong type.
 * - `invalid-range`: `line_range` or `byte_range` ends before it starts, or starts beyond the end of the content.
 * - `pattern-timeout`: the pattern took longer than it may.
 * - `pattern-refused`: the pattern is too long, or more than the regular expression engine can do.
 * - `not-text`: the content is binary and cannot be searched or read by lines.
 * - `not-a-table`: rows were asked for, and the content has none.
 * - `unknown-column`: a column was asked for that the table has not.
 * - `invalid-json-path`: `json_path` is no JSONPath (RFC 9535).
 * - `not-json`: something was selected by `json_path`, and the content is no JSON.
 */
export type RetrievalErrorCode =
  | StorageErrorCode
  | 'invalid-input'
  | 'invalid-range'
  | 'pattern-timeout'
  | 'pattern-refused'
  | 'not-text'
  | 'invalid-json-path'
  | 'not-json'
  | 'not-a-table'
  | 'unknown-column'

/** What a {@link RetrievalError} carries beside its code and message. */
export interface RetrievalErrorDetails extends ErrorOptions {
  /** The call to make instead; the message leads up to it. */
  readonly call?: RetrievalCall | undefined
}

/** A failure of a retrieval that the model is told of; its message says what to do next. */
export class RetrievalError extends Error {
  override readonly name = 'RetrievalError'
  readonly code: RetrievalErrorCode
  readonly call: RetrievalCall | undefined

  constructor(code: RetrievalErrorCode, message: string, details: RetrievalErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.call = details.call
  }
}
