import { jsonPathsAt } from '@spillway/text/internal/json'
import { LONG_LINE_LENGTH } from '@spillway/text/internal'
import { parseSearchPattern } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { searchLines } from '../search/search-lines.ts'
import type { LineView } from '../search/view-hits.ts'

/** Bytes looked at to tell what a content is. */
const SNIFFED_BYTES = 256

/** Hits whose places are looked for, at most: more are rarely shown. */
const MAX_PLACES = 100

/** A path is found by reading from the start: beyond so many bytes, none is looked for. */
const MAX_WALKED_BYTES = 128 * 1_048_576

/** The line before each page of a document's text. */
const PAGE_LINE = /^--- page (\d+) of \d+ ---$/

const MAX_PAGES = 10_000

/** What lies at a byte that a hit begins with. */
type Places = ReadonlyMap<LineView, string>

/** Say where hits lie: in long lines of JSON their paths, in the text of a document with pages their pages. */
export async function placesOf(
  source: ContentSource,
  hits: readonly LineView[],
  signal: AbortSignal | undefined,
): Promise<Places> {
  const first = hits.slice(0, MAX_PLACES)
  if (first.length === 0) return new Map()
  const start = new TextDecoder().decode(await source.read(0, SNIFFED_BYTES))
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
  const { hits: pages } = await searchLines(source, [marks], options)
  const places = new Map<LineView, string>()
  for (const hit of hits) {
    const before = pages.findLastIndex(({ start }) => start <= hit.hit!.start)
    if (before >= 0) places.set(hit, `page ${before + 1}`)
  }
  return places
}
