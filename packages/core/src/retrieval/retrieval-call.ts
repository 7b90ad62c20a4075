import { RETRIEVAL_TOOL_NAME } from './retrieval-tool-name.ts'

/** Parameters of the retrieval tool, under the names that the model uses. */
export interface RetrievalCall {
  readonly reference?: string | undefined
  readonly pattern?: string | undefined
  readonly line_range?: { readonly start: number; readonly end: number } | undefined
  readonly context_lines?: number | undefined
  readonly ignore_case?: boolean | undefined
}

/** A pattern longer than this is not written out again. */
const MAX_PATTERN_LENGTH = 200

/** Write a call as the model can make it: the name of the tool and its input as JSON. */
export function formatRetrievalCall(call: RetrievalCall): string {
  const long = call.pattern !== undefined && call.pattern.length > MAX_PATTERN_LENGTH
  const pattern = long ? '<the same pattern>' : call.pattern
  return `${RETRIEVAL_TOOL_NAME} ${JSON.stringify({ ...call, pattern })}`
}
