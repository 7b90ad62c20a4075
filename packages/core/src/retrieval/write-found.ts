import { formatCount } from '@spillway/text/internal'
import type { ContentSource } from '../content/content-source.ts'
import type { Hit } from '../search/scanner.ts'
import { callOf } from './call-of.ts'
import { countMatches, describeMatches, describeSelection } from './describe-matches.ts'
import { describeStop } from './describe-stop.ts'
import type { FoundHits } from './find-hits.ts'
import { fits, unitsFor } from './fit-answer.ts'
import { lineOfByte } from './line-of-byte.ts'
import type { ShownLine } from './render-lines.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { PatternRequest } from './retrieval-input.ts'
import { lineOfHit, showHits } from './show-hits.ts'
import { isHit, writeSearch } from './write-search.ts'

/** A search of one content that has found something. */
export interface Found {
  readonly request: PatternRequest
  readonly source: ContentSource
  readonly found: FoundHits
  /** What is said below the header. */
  readonly notes: readonly string[]
}

/** UTF-16 units of a token, more than most text has: no more is read at first. */
const USUAL_UNITS_PER_TOKEN = 5

/** Write what was found in one content: the hits that were asked for, as many as fit, and how to see the others. */
export async function writeFound(search: Found, context: RetrievalContext): Promise<string> {
  const { request, source, found } = search
  const { limit = Infinity, fromEnd } = request
  const count = Math.min(limit, found.hits.length)
  const hits = fromEnd ? found.hits.slice(found.hits.length - count) : found.hits.slice(0, count)
  const views = await viewsOf(search, hits, context)
  const inViews = views.filter(isHit).map(({ number }) => number)
  const beyond = fromEnd ? undefined : found.hits[inViews.length]
  const lines = beyond === undefined ? inViews : [...inViews, await lineOfHit(source, beyond)]
  const stop = await describeStop(source, found)
  const rest = (await noteRest(search, context))[0]
  const frame = {
    fromEnd,
    header: (shown: number) => [`[${stop}${countsOf(search, shown)}]`, ...search.notes].join('\n'),
    more: (shown: readonly ShownLine[]) => {
      if (found.total - request.skip <= shown.length) return rest
      // What was passed over at the end of a search that was stopped is not the end of the content.
      if (fromEnd && rest !== undefined) return rest
      return noteMore(search, shown.at(-1)?.number, shown.length, lines[shown.length], context)
    },
  }
  return writeSearch(views, frame, context)
}

/** Read the lines of hits, as many as may fit. */
async function viewsOf(
  { request: { contextLines, fromEnd }, source, found }: Found,
  hits: readonly Hit[],
  context: RetrievalContext,
): Promise<readonly ShownLine[]> {
  if (hits.length === 0) return []
  const most = unitsFor(context)
  const options = { contextLines, range: found.range, fromEnd, signal: context.signal }
  const views = await showHits(source, hits, {
    ...options,
    limit: Math.min(most, context.maxTokens * USUAL_UNITS_PER_TOKEN),
  })
  const isAll = views.filter(isHit).length === hits.length
  // Where the tokens of the text are long, more of it fits.
  return isAll || !fits(views.map(({ text }) => text).join('\n'), context)
    ? views
    : await showHits(source, hits, { ...options, limit: most })
}

/** Say how to search what a stopped search has not come to. */
export async function noteRest({ request, source, found }: Found, context: RetrievalContext): Promise<string[]> {
  if (found.stopped === undefined) return []
  const start = Math.min(await lineOfByte(source, found.searchedTo), found.lastLine)
  const rest = { line_range: { start, end: found.lastLine }, from_end: request.fromEnd || undefined }
  return [`[To search the rest: ${context.formatCall({ ...callOf(request), ...rest })}]`]
}

function countsOf({ request, found }: Found, shown: number): string {
  const { skip, limit = Infinity, fromEnd, patterns } = request
  const isPart = skip > 0 || ((fromEnd || limit < found.total) && shown < found.total)
  const isTold = shown > 0 || skip >= found.total
  return isPart && isTold
    ? describeSelection(found, patterns, { skip, shown, fromEnd }, found.range)
    : describeMatches(found, patterns, found.range)
}

/**
 * Write the call that goes on after the last hit shown: at the line of the next one, or, where that is the same long line,
 * by the number of hits to pass over.
 */
function noteMore(
  { request, found }: Found,
  lastLine: number | undefined,
  shown: number,
  nextLine: number | undefined,
  context: RetrievalContext,
): string {
  const { skip, fromEnd, range } = request
  const goesOn =
    !fromEnd && skip === 0 && nextLine !== undefined && nextLine !== lastLine
      ? { line_range: { start: nextLine, end: found.lastLine } }
      : { line_range: range, skip: skip + shown, from_end: fromEnd || undefined }
  const call = context.formatCall({ ...callOf(request), ...goesOn })
  return `[Shown: ${formatCount(shown)} of ${countMatches(found.total)}. To continue: ${call}]`
}
