import { type LineRange, PatternError } from '@spillway/text/internal'
import type { ByteSpan, SearchPattern } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { findLineSpan } from '../search/view-hits.ts'
import { searchLines, type SearchResult } from '../search/search-lines.ts'
import { assertText } from './assert-text.ts'
import { lineBeyondEnd } from './range-error.ts'
import type { RetrievalContext } from './retrieval-context.ts'

/** Where nothing was found before a search was stopped, less than this part of the content is no answer. */
const LEAST_PART = 0.1

/** Which hits are asked for. */
export interface HitSelection {
  readonly range: LineRange | undefined
  readonly skip: number
  /** Hits kept, at most. */
  readonly limit: number
  readonly fromEnd: boolean
}

/** What a search of one content found. */
export interface FoundHits extends SearchResult {
  /** What was searched, in bytes. */
  readonly span: ByteSpan
  /** The span of lines searched, clipped to the content; absent where that is everything. */
  readonly range: LineRange | undefined
  /** Lines searched, if the search came to the end. */
  readonly searched: number
  /** The last line of what was to be searched. */
  readonly lastLine: number
  /** The part of it that was searched, from 0 to 1. */
  readonly part: number
  readonly milliseconds: number
}

/**
 * Search one content, or a span of its lines.
 *
 * Rejects with `not-text`, with `invalid-range` where the span begins beyond the end, and with a {@link PatternError}:
 * `timeout` where the time was spent near the beginning, with nothing found.
 */
export async function findHits(
  source: ContentSource,
  patterns: readonly SearchPattern[],
  { range, skip, limit, fromEnd }: HitSelection,
  { deadlineMs, signal }: Pick<RetrievalContext, 'deadlineMs' | 'signal'>,
): Promise<FoundHits> {
  assertText(source)
  const { lines } = await source.lineIndex()
  const within = range === undefined || lines === 0 ? undefined : await findLineSpan(source, range)
  if (range !== undefined && within === undefined && lines > 0) throw lineBeyondEnd(range, lines)
  const span: ByteSpan = within ?? { start: 0, end: source.size }
  const begin = performance.now()
  const result = await searchLines(source, patterns, { span, skip, limit, fromEnd, deadlineMs, signal })
  const part = span.end === span.start ? 1 : (result.searchedTo - span.start) / (span.end - span.start)
  if (result.stopped !== undefined && result.total === 0 && part < LEAST_PART)
    throw new PatternError('timeout', 'The pattern took too long to match.')
  const { start, end } = within?.range ?? { start: 1, end: lines }
  return {
    ...result,
    span,
    range: within?.range,
    searched: end - start + 1,
    lastLine: end,
    part,
    milliseconds: performance.now() - begin,
  }
}
