import type { PatternMatcher } from '../platform/platform.ts'
import { openContent } from './content-source.ts'
import type { ContentSource } from './content-source.ts'
import { chooseMatcher } from './choose-matcher.ts'
import { unitsFor } from './fit-answer.ts'
import { HitCollector } from './hit-collector.ts'
import type { CollectorOptions } from './hit-collector.ts'
import type { LineProgress } from './lines-within.ts'
import { lineBeyondEnd } from './range-error.ts'
import { EVERY_LINE, readText } from './read-text.ts'
import { formatCount } from '../content/format-count.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { LineRange, PatternRequest } from './retrieval-input.ts'
import { showMatches, writeSearch } from './write-search.ts'
import type { SearchFindings } from './write-search.ts'

/** UTF-16 units kept of a line: what is around its match. */
export const KEPT_OF_A_LINE = 4_000

/** Where nothing matches, content up to this size is searched again without regard to case, for a hint. */
const HINT_BYTES = 1_048_576

/** What is said where a pattern is no valid regular expression. */
export const LITERAL_NOTE = '[The pattern is not a valid regular expression, so it was searched as literal text.]'

/** What a search of one content found, and how many lines it has looked at. */
export interface ContentFindings extends SearchFindings {
  /** Lines searched. */
  readonly searched: number
  /** The span searched, with its end in the content; absent where that is everything. */
  readonly range: LineRange | undefined
  /** The last line searched. */
  readonly lastLine: number
}

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
      const call = { ...callOf(request), line_range: { start: next, end: found.lastLine } }
      return `[Shown: ${formatCount(shown)} of ${formatCount(found.hits)} matches. To continue: ${context.formatCall(call)}]`
    },
  }
  return writeSearch(found, frame, context)
}

/** Search one content. Rejects with `invalid-range` where the span begins beyond its end. */
export async function searchContent(
  source: ContentSource,
  matcher: PatternMatcher,
  range: LineRange | undefined,
  options: CollectorOptions,
): Promise<ContentFindings> {
  const progress: LineProgress = { lines: 0, ended: false }
  const collector = new HitCollector(options)
  const span = range ?? EVERY_LINE
  const batches = readText(source, { range: span, maxLength: matcher.maxTextLength, countAll: false }, progress)
  for await (const batch of batches) collector.add(batch, await matcher.match(batch.text, batch.from))
  if (progress.lines < span.start && range !== undefined) throw lineBeyondEnd(range, progress.lines)
  const lastLine = Math.min(span.end, progress.lines)
  return {
    hits: collector.hits,
    views: collector.views,
    firstLeftOut: collector.firstLeftOut,
    searched: progress.lines === 0 ? 0 : lastLine - span.start + 1,
    range: range && { start: range.start, end: lastLine },
    lastLine,
  }
}

function callOf(request: PatternRequest): RetrievalCall {
  const { reference, pattern, contextLines, ignoreCase } = request
  return {
    reference,
    pattern,
    context_lines: contextLines === 5 ? undefined : contextLines,
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
  const { matcher } = chooseMatcher(request.pattern, { ignoreCase: true, deadlineMs: context.deadlineMs / 4 })
  const found = await searchContent(source, matcher, request.range, { contextLines: 0, keep: 0, limit: 0 })
  if (found.hits === 0) return []
  const call = context.formatCall({ ...callOf(request), line_range: request.range, ignore_case: true })
  return [`[In another case: ${showMatches(found.hits, request.pattern, undefined)}. To see them: ${call}]`]
}
