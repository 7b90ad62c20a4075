import { formatCount } from '../content/format-count.ts'
import { chooseMatcher } from './choose-matcher.ts'
import { openContent } from './open-content.ts'
import type { ContentSource } from '../content/content-source.ts'
import { unitsFor } from './fit-answer.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import { DEFAULT_CONTEXT_LINES } from './retrieval-input.ts'
import type { PatternRequest } from './retrieval-input.ts'
import { KEPT_OF_A_LINE, searchContent } from './search-content.ts'
import { LITERAL_NOTE, showMatches, writeSearch } from './write-search.ts'

/** Where nothing matches, content up to this size is searched again without regard to case, for a hint. */
const HINT_BYTES = 1_048_576

/** Answer a search in one content. */
export async function answerPattern(
  request: PatternRequest & { readonly reference: string },
  context: RetrievalContext,
): Promise<string> {
  const { reference, pattern, contextLines, ignoreCase } = request
  const source = await openContent(context.storage, reference, context)
  const { matcher, literal } = chooseMatcher(pattern, { ignoreCase, deadlineMs: context.deadlineMs })
  const options = { contextLines, keep: KEPT_OF_A_LINE, limit: unitsFor(context) }
  const found = await searchContent(source, matcher, request.range, options)
  const notes = literal ? [LITERAL_NOTE] : []
  if (found.hits === 0) {
    const searched = `searched ${formatCount(found.searched)} ${found.searched === 1 ? 'line' : 'lines'}`
    const header = `[${showMatches(0, pattern, found.range)} (${searched})]`
    return [header, ...notes, ...(await hintIgnoreCase(request, source, context))].join('\n')
  }
  const frame = {
    header: [`[${showMatches(found.hits, pattern, found.range)}]`, ...notes].join('\n'),
    more: (shown: number, next: number): string => {
      const call = context.formatCall({ ...callOf(request), line_range: { start: next, end: found.lastLine } })
      return `[Shown: ${formatCount(shown)} of ${formatCount(found.hits)} matches. To continue: ${call}]`
    },
  }
  return writeSearch(found, frame, context)
}

function callOf({ reference, pattern, contextLines, ignoreCase }: PatternRequest): RetrievalCall {
  return {
    reference,
    pattern,
    context_lines: contextLines === DEFAULT_CONTEXT_LINES ? undefined : contextLines,
    ignore_case: ignoreCase || undefined,
  }
}

/** Say how many lines would match in another case, where that is cheap to find out. */
async function hintIgnoreCase(
  request: PatternRequest,
  source: ContentSource,
  context: RetrievalContext,
): Promise<string[]> {
  if (request.ignoreCase || source.size > HINT_BYTES || !/\p{L}/u.test(request.pattern)) return []
  const { matcher } = chooseMatcher(request.pattern, { ignoreCase: true, deadlineMs: context.deadlineMs })
  const found = await searchContent(source, matcher, request.range, { contextLines: 0, keep: 0, limit: 0 })
  if (found.hits === 0) return []
  const call = context.formatCall({ ...callOf(request), line_range: request.range, ignore_case: true })
  return [`[In another case: ${showMatches(found.hits, request.pattern, undefined)}. To see them: ${call}]`]
}
