import type { RetrievalCall } from './retrieval-call.ts'
import { DEFAULT_CONTEXT_LINES } from './retrieval-input.ts'
import type { PatternRequest } from './retrieval-input.ts'

/** Write a search as the call that makes it, without the lines and matches that it was limited to. */
export function callOf(request: PatternRequest): RetrievalCall {
  const { reference, patterns, contextLines, ignoreCase, countOnly, limit } = request
  return {
    reference,
    ...(patterns.length === 1 ? { pattern: patterns[0] } : { patterns }),
    context_lines: contextLines === DEFAULT_CONTEXT_LINES ? undefined : contextLines,
    ignore_case: ignoreCase || undefined,
    count_only: countOnly || undefined,
    limit,
  }
}
