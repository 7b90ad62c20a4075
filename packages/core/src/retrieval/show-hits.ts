import { contentTypeEssence, LONG_LINE_LENGTH, type LineRange } from '@spillway/text/internal'
import { jsonPathsAt } from '@spillway/text/internal/json'
import { parseSearchPattern, type ByteSpan } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { searchLines } from '../search/search-lines.ts'
import { viewHits, type LineView, type ViewOptions } from '../search/view-hits.ts'
import { renderLines, type ShownLine } from './render-lines.ts'
import type { AnswerLimit } from './retrieval-tool.ts'
import { fitAnswer, fits, withoutResults, type Answer } from './write-answer.ts'

/** Largest number of UTF-16 units of a line to keep around its match. With more hits, fewer units are kept. */
const MOST_KEPT = 4_000
const LEAST_KEPT = 500

interface HitViewOptions {
  readonly contextLines: number
  readonly limit: number
  readonly range: LineRange | undefined
  /** If not all hits fit, show the last ones. */
  readonly fromEnd: boolean
  readonly signal: AbortSignal | undefined
}

export async function showHits(
  source: ContentSource,
  hits: readonly ByteSpan[],
  options: HitViewOptions,
): Promise<readonly ShownLine[]> {
  const { contextLines, limit, range } = options
  const keep = Math.max(LEAST_KEPT, Math.min(MOST_KEPT, Math.floor(limit / Math.max(1, hits.length))))
  const reading = { contextLines, keep, limit }
  const read = await view(source, hits, reading, options.fromEnd)
  // Long lines around the first hit may fill the answer. The hit is then shown without these lines.
  const seen = read.some(isHit) ? read : await view(source, hits, { ...reading, contextLines: 0 }, options.fromEnd)
  const views = seen.filter(({ number }) => range === undefined || (number >= range.start && number <= range.end))
  if (views.length === 0) return []
  const start = new TextDecoder().decode(await source.read(0, SNIFFED_BYTES))
  const places = await placesOf(source, start, views.filter(isHit), options.signal)
  return [
    ...(await columnNames(source, start, views[0]!)),
    ...views.map((view) => ({ ...view, place: places.get(view) })),
  ]
}

/** Returns the first line of a table, because cells mean little without the names of their columns. */
async function columnNames(source: ContentSource, start: string, { number }: LineView): Promise<ShownLine[]> {
  const end = start.indexOf('\n')
  if (number === 1 || end > MAX_NAMES_LENGTH || !/[,\t;|]/.test(start.slice(0, Math.max(0, end)))) return []
  const { separatedFormat } = await import('@spillway/text/internal/tables')
  const text = { start, isWhole: false, contentType: contentTypeEssence(source.contentType), intent: { paths: [] } }
  const { header, sureness, comments } = separatedFormat(text) ?? { header: false, sureness: 0, comments: 0 }
  if (!header || sureness < LEAST_SURENESS || comments > 0) return []
  const reading = { contextLines: 0, keep: MAX_NAMES_LENGTH, limit: MAX_NAMES_LENGTH }
  const { views } = await viewHits(source, [{ start: 0, end: 0 }], reading)
  return views.map((view) => ({ ...view, match: undefined, hit: undefined, isNames: true }))
}

export async function lineOfHit(source: ContentSource, hit: ByteSpan): Promise<number> {
  const { views } = await viewHits(source, [hit], { contextLines: 0, keep: 1, limit: 1 })
  return views[0]!.number
}

async function view(
  source: ContentSource,
  hits: readonly ByteSpan[],
  reading: ViewOptions,
  fromEnd: boolean,
): Promise<readonly LineView[]> {
  return fromEnd ? await viewLast(source, hits, reading) : (await viewHits(source, hits, reading)).views
}

async function viewLast(
  source: ContentSource,
  hits: readonly ByteSpan[],
  reading: ViewOptions,
): Promise<readonly LineView[]> {
  let best: readonly LineView[] = []
  for (let count = 1; ; count *= 2) {
    const { views, shown } = await viewHits(source, hits.slice(-count), reading)
    if (count > 1 && shown < Math.min(count, hits.length)) return best
    best = views
    if (count >= hits.length) return best
  }
}

const SNIFFED_BYTES = 8_192
/** Longest line of column names to show, in UTF-16 units. */
const MAX_NAMES_LENGTH = 1_000
const LEAST_SURENESS = 0.7
const MAX_PLACES = 100
/** Largest content in which a path is found, because finding a path reads from the start. */
const MAX_WALKED_BYTES = 128 * 1_048_576
const PAGE_LINE = /^--- page (\d+) of \d+ ---$/
const MAX_PAGES = 10_000

type Places = ReadonlyMap<LineView, string>

/** Finds JSON paths for long lines, and page numbers for documents with pages. */
async function placesOf(
  source: ContentSource,
  start: string,
  hits: readonly LineView[],
  signal: AbortSignal | undefined,
): Promise<Places> {
  const first = hits.slice(0, MAX_PLACES)
  if (first.length === 0) return new Map()
  if (PAGE_LINE.test(start.split(/\r?\n/, 1)[0]!)) return await pagesOf(source, first, signal)
  return await pathsOf(source, first)
}

async function pathsOf(source: ContentSource, hits: readonly LineView[]): Promise<Places> {
  const long = hits.filter(
    ({ line, hit }) => line.end - line.start > LONG_LINE_LENGTH && hit !== undefined && hit.start < MAX_WALKED_BYTES,
  )
  const offsets = long.map(({ hit }) => hit!.start)
  const paths = await jsonPathsAt(source, offsets)
  return new Map(long.flatMap((hit, index) => (paths[index] === undefined ? [] : [[hit, paths[index]]])))
}

async function pagesOf(
  source: ContentSource,
  hits: readonly LineView[],
  signal: AbortSignal | undefined,
): Promise<Places> {
  const marks = parseSearchPattern(PAGE_LINE.source, { ignoreCase: false })
  const options = { skip: 0, limit: MAX_PAGES, fromEnd: false, deadlineMs: 1_000, signal }
  const { hits: pages } = await searchLines(source, marks, options)
  const places = new Map<LineView, string>()
  for (const hit of hits) {
    const before = pages.findLastIndex(({ start }) => start <= hit.hit!.start)
    if (before >= 0) places.set(hit, `page ${before + 1}`)
  }
  return places
}

/** UTF-16 units to show of a line. The values are tried until all hits fit. */
const LINE_LENGTHS = [1_000, 500]
/** Smaller values, which are tried if not all hits fit, and again if not even one hit fits. */
const CUT_LINE_LENGTHS = [500, 200, 100, 40]

/** @param frame - Returns the rest of the answer, for the hits that are shown. */
export function writeSearch(
  { reference, fromEnd }: { readonly reference: string; readonly fromEnd: boolean },
  views: readonly ShownLine[],
  frame: (shown: readonly ShownLine[]) => Answer,
  limit: AnswerLimit,
): Answer {
  const hitsOnly = views.filter(isHit)
  const take = fromEnd ? lastWindows : wholeWindows
  const write = (from: readonly ShownLine[], count: number, length: number): Answer => {
    const shown = take(from, count)
    return { ...frame(shown.filter(isHit)), parts: [{ reference, ...renderLines(shown, length) }] }
  }
  const longest = Math.max(0, ...views.map(({ text }) => text.length))
  for (const [index, length] of LINE_LENGTHS.entries()) {
    // The text is the same as for the previous length.
    if (index > 0 && longest <= length) break
    const answer = write(views, views.length, length)
    if (fits(answer, limit)) return answer
  }
  const attempts = [
    [views, CUT_LINE_LENGTHS[0]!] as const,
    ...CUT_LINE_LENGTHS.map((length) => [hitsOnly, length] as const),
  ]
  for (const [from, length] of attempts) {
    const nearest = fromEnd ? from.toReversed() : from
    const least = nearest.findIndex(isHit) + 1
    const best = fitAnswer((count) => write(from, count, length), least, from.length, limit)
    if (best !== undefined) return best
  }
  return withoutResults(frame([]))
}

export function isHit(view: ShownLine): boolean {
  return view.match !== undefined
}

/** Returns the lines to show, without the context of hits that are not shown. */
export function wholeWindows(views: readonly ShownLine[], count: number): readonly ShownLine[] {
  let end = views.slice(0, count).findLastIndex(isHit) + 1
  while (end > 0 && end < count && views[end]!.number === views[end - 1]!.number + 1) end++
  return views.slice(0, end)
}

export function lastWindows(views: readonly ShownLine[], count: number): readonly ShownLine[] {
  const least = views.length - count
  let start = views.findIndex((view, index) => index >= least && isHit(view))
  if (start < 0) return []
  while (start > least && views[start - 1]!.number === views[start]!.number - 1) start--
  const names = start > 0 && views[0]!.isNames === true ? views.slice(0, 1) : []
  return [...names, ...views.slice(start)]
}
