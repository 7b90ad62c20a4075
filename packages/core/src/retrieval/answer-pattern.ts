import type { ContentSource } from '../content/content-source.ts'
import { formatCount } from '../content/format-count.ts'
import { parseSearchPattern } from '../search/search-pattern.ts'
import { countMatches, describeMatches, describeProblems, describeSelection } from './describe-matches.ts'
import { describeCount } from './describe-count.ts'
import { findHits } from './find-hits.ts'
import type { FoundHits } from './find-hits.ts'
import { unitsFor } from './fit-answer.ts'
import { lineOfByte } from './line-of-byte.ts'
import { withContent } from './open-content.ts'
import { hintVariant } from './hint-variant.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import { callOf } from './call-of.ts'
import type { PatternRequest } from './retrieval-input.ts'
import { describeStop } from './describe-stop.ts'
import { lineOfHit, showHits } from './show-hits.ts'
import type { ShownLine } from './render-lines.ts'
import { isHit, writeSearch } from './write-search.ts'

/** UTF-16 units that the line of a hit takes in an answer, at least: its mark, its number and the bar. */
const LEAST_UNITS_OF_A_HIT = 5

/** Hits kept where they are only counted: up to so many, the last is among them. */
const MAX_COUNTED_HITS = 2_000

/** Answer a search in one content. */
export async function answerPattern(
  request: PatternRequest & { readonly reference: string },
  context: RetrievalContext,
): Promise<string> {
  const patterns = request.patterns.map((text) => parseSearchPattern(text, request))
  return await withContent(context.storage, request.reference, context, async (source) => {
    const found = await findHits(source, patterns, selectionOf(request, context), context)
    const notes = describeProblems(patterns)
    const stop = await describeStop(source, found)
    if (found.total === 0) {
      const searched = `searched ${formatCount(found.searched)} ${found.searched === 1 ? 'line' : 'lines'}`
      const header =
        stop === undefined
          ? `[${describeMatches(found, request.patterns, found.range)} (${searched})]`
          : `[${stop}: ${describeMatches(found, request.patterns, found.range)} so far]`
      const hints = stop === undefined ? await hintVariant(request, patterns, source, context) : []
      return [header, ...notes, ...hints, ...(await restNote(request, found, source, context))].join('\n')
    }
    if (request.countOnly) {
      const counts = await describeCount(source, patterns, found, context)
      const header = stop === undefined ? `[${counts}]` : `[${stop}: ${counts} so far]`
      return [header, ...notes, ...(await restNote(request, found, source, context))].join('\n')
    }
    return await writeFound({ request, source, found, notes, stop }, context)
  })
}

function selectionOf(request: PatternRequest, context: RetrievalContext): Parameters<typeof findHits>[2] {
  const { range, skip, fromEnd, countOnly } = request
  if (countOnly) return { range, skip: 0, limit: MAX_COUNTED_HITS, fromEnd: false }
  const most = Math.ceil(unitsFor(context) / LEAST_UNITS_OF_A_HIT)
  return { range, skip, limit: Math.min(request.limit ?? most, most) + 1, fromEnd }
}

interface Found {
  readonly request: PatternRequest
  readonly source: ContentSource
  readonly found: FoundHits
  readonly notes: readonly string[]
  readonly stop: string | undefined
}

async function writeFound({ request, source, found, notes, stop }: Found, context: RetrievalContext): Promise<string> {
  const { skip, limit = Infinity, fromEnd, patterns, contextLines } = request
  const { total, range } = found
  const wanted = Math.min(limit, found.hits.length)
  const hits = fromEnd ? found.hits.slice(found.hits.length - wanted) : found.hits.slice(0, wanted)
  const options = { contextLines, limit: unitsFor(context), range, fromEnd, signal: context.signal }
  const views = hits.length === 0 ? [] : await showHits(source, hits, options)
  const inViews = views.filter(isHit)
  const beyond = fromEnd ? undefined : found.hits[inViews.length]
  const lineBeyond = beyond === undefined ? undefined : await lineOfHit(source, beyond)
  const rest = found.stopped === undefined ? undefined : await restCall(request, found, source)

  const selects = skip > 0 || fromEnd || limit < total
  const header = (shown: number): string => {
    const counts =
      selects && (shown < total || skip > 0) && (shown > 0 || skip >= total)
        ? describeSelection(found, patterns, { skip, shown, fromEnd }, range)
        : describeMatches(found, patterns, range)
    return [`[${stop === undefined ? counts : `${stop}: ${counts} so far`}]`, ...notes].join('\n')
  }
  const more = (shown: readonly ShownLine[]): string | undefined => {
    const left = total - skip - shown.length
    if (left <= 0) return rest === undefined ? undefined : `[To search the rest: ${context.formatCall(rest)}]`
    const next = fromEnd ? undefined : (inViews[shown.length]?.number ?? lineBeyond)
    const byLine = skip === 0 && next !== undefined && next !== shown.at(-1)?.number
    const place = byLine
      ? { line_range: { start: next, end: found.lastLine } }
      : { line_range: range, skip: skip + shown.length, from_end: fromEnd || undefined }
    const call = context.formatCall({ ...callOf(request), ...place })
    return `[Shown: ${formatCount(shown.length)} of ${countMatches(total)}. To continue: ${call}]`
  }
  return writeSearch(views, { header, more, fromEnd }, context)
}

/** Say how to search what a stopped search has not come to. */
async function restNote(
  request: PatternRequest,
  found: FoundHits,
  source: ContentSource,
  context: RetrievalContext,
): Promise<string[]> {
  if (found.stopped === undefined) return []
  return [`[To search the rest: ${context.formatCall(await restCall(request, found, source))}]`]
}

async function restCall(request: PatternRequest, found: FoundHits, source: ContentSource): Promise<RetrievalCall> {
  const start = Math.min(await lineOfByte(source, found.searchedTo), found.lastLine)
  const fromEnd = request.fromEnd || undefined
  return { ...callOf(request), line_range: { start, end: found.lastLine }, from_end: fromEnd }
}
