import { RETRIEVAL_TOOL_NAME } from './retrieval-tool-name.ts'

/** Parameters of the retrieval tool, under the names that the model uses. */
export interface RetrievalCall {
  readonly reference?: string | undefined
  readonly pattern?: string | undefined
  readonly line_range?: { readonly start: number; readonly end: number } | undefined
  /** Bytes of text, 1-based and both inclusive, to read a part of a long line. */
  readonly byte_range?: { readonly start: number; readonly end: number } | undefined
  readonly context_lines?: number | undefined
  readonly ignore_case?: boolean | undefined
  /** Several patterns at once, each with its own count. */
  readonly patterns?: readonly string[] | undefined
  readonly json_path?: string | undefined
  /** Words to rank passages by. */
  readonly query?: string | undefined
  /** Columns of a table. */
  readonly columns?: readonly string[] | undefined
  /** A condition on one column of a table, such as `status >= 500`. */
  readonly where?: string | undefined
  readonly count_only?: boolean | undefined
  /** Matches, results, passages or rows, at most. */
  readonly limit?: number | undefined
  /** Matches, results, passages or rows to pass over. */
  readonly skip?: number | undefined
  /** Take the last matches instead of the first. */
  readonly from_end?: boolean | undefined
}

/** A pattern longer than this is not written out again. */
const MAX_PATTERN_LENGTH = 200

/** Write a call as the model can make it: the name of the tool and its input as JSON. */
export function formatRetrievalCall(call: RetrievalCall, toolName: string = RETRIEVAL_TOOL_NAME): string {
  const long = call.pattern !== undefined && call.pattern.length > MAX_PATTERN_LENGTH
  const pattern = long ? '<the same pattern>' : call.pattern
  return `${toolName} ${JSON.stringify({ ...call, pattern })}`
}
