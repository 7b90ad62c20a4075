import type { PatternMatcher } from '../platform/platform.ts'
import type { ContentSource } from '../content/content-source.ts'
import { HitCollector } from './hit-collector.ts'
import type { CollectorOptions } from './hit-collector.ts'
import type { LineProgress } from '../content/lines-within.ts'
import { lineBeyondEnd } from './range-error.ts'
import { EVERY_LINE, readText } from './read-text.ts'
import type { LineRange } from '../content/line-range.ts'
import type { SearchFindings } from './write-search.ts'

/** UTF-16 units kept of a line: what is around its match. */
export const KEPT_OF_A_LINE = 4_000

/** What a search of one content found, and how many lines it has looked at. */
export interface ContentFindings extends SearchFindings {
  /** Lines searched. */
  readonly searched: number
  /** The span searched, with its end in the content; absent where that is everything. */
  readonly range: LineRange | undefined
  /** The last line searched. */
  readonly lastLine: number
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
  if (progress.lines < span.start && progress.lines > 0) throw lineBeyondEnd(span, progress.lines)
  const lastLine = Math.min(span.end, progress.lines)
  return {
    hits: collector.hits,
    views: collector.views,
    firstLeftOut: collector.firstLeftOut,
    searched: progress.lines === 0 ? 0 : lastLine - span.start + 1,
    range: range === undefined || progress.lines === 0 ? undefined : { start: range.start, end: lastLine },
    lastLine,
  }
}
