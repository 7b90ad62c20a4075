import type { RetrievalErrorCode } from './retrieval-error.ts'

/**
 * What a call of the retrieval tool asked for.
 *
 * - `pattern`: a search, in the whole content or a span of lines.
 * - `scope-pattern`: a search in everything that the scope holds.
 * - `count`: the number of matches of a search, in one content or in everything.
 * - `json-path`: values of JSON, by a path.
 * - `query`: passages ranked by words.
 * - `scope-query`: passages ranked by words, of everything that the scope holds.
 * - `table`: rows and columns of a table.
 * - `range`: a span of lines.
 * - `bytes`: a span of bytes, in a long line.
 * - `head`: the first lines, or the last.
 * - `full`: the content in its native form, or its first lines where that is over the limit.
 * - `invalid`: nothing that could be understood.
 */
export type RetrievalMode =
  | 'pattern'
  | 'scope-pattern'
  | 'count'
  | 'json-path'
  | 'query'
  | 'scope-query'
  | 'table'
  | 'range'
  | 'bytes'
  | 'head'
  | 'full'
  | 'invalid'

/** One call of the retrieval tool, once it is answered. Nothing in it is content. */
export interface RetrievalEvent {
  readonly type: 'retrieval'
  readonly mode: RetrievalMode
  /** As the model wrote it; absent where it did not name one. */
  readonly reference?: string | undefined
  /** Tokens of the answer; 0 for media, whose cost depends on the model. */
  readonly tokens: number
  readonly isError: boolean
  /** Why it failed; absent where it did not. */
  readonly code?: RetrievalErrorCode | undefined
}
