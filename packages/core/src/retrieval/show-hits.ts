import type { LineRange } from '@spillway/text/internal'
import type { ContentSource } from '../content/content-source.ts'
import type { Hit } from '../search/scanner.ts'
import { viewHits } from '../search/view-hits.ts'
import type { LineView, ViewOptions } from '../search/view-hits.ts'
import { placesOf } from './hit-places.ts'
import type { ShownLine } from './render-lines.ts'
import { isHit } from './write-search.ts'

/** UTF-16 units kept of a line, around its match: the more hits there are, the fewer. */
const MOST_KEPT = 4_000
const LEAST_KEPT = 500

/** How hits are shown. */
export interface HitViewOptions {
  readonly contextLines: number
  /** UTF-16 units in all. */
  readonly limit: number
  /** Lines that context may be taken from; absent for all. */
  readonly range: LineRange | undefined
  /** Show the last of the hits, where not all are within the limit, instead of the first. */
  readonly fromEnd: boolean
  readonly signal: AbortSignal | undefined
}

/** Read the lines of hits and those around them, with the places of hits in JSON and on pages. */
export async function showHits(
  source: ContentSource,
  hits: readonly Hit[],
  options: HitViewOptions,
): Promise<readonly ShownLine[]> {
  const { contextLines, limit, range } = options
  const keep = Math.max(LEAST_KEPT, Math.min(MOST_KEPT, Math.floor(limit / Math.max(1, hits.length))))
  const reading = { contextLines, keep, limit }
  const read = await view(source, hits, reading, options.fromEnd)
  // Long lines around the first hit may take all the room: then it is shown without them.
  const seen = read.some(isHit) ? read : await view(source, hits, { ...reading, contextLines: 0 }, options.fromEnd)
  const views = seen.filter(({ number }) => range === undefined || (number >= range.start && number <= range.end))
  const places = await placesOf(source, views.filter(isHit), options.signal)
  return views.map((view) => ({ ...view, place: places.get(view) }))
}

/** Return the number of the line that a hit is in. */
export async function lineOfHit(source: ContentSource, hit: Hit): Promise<number> {
  const { views } = await viewHits(source, [hit], { contextLines: 0, keep: 1, limit: 1 })
  return views[0]!.number
}

async function view(
  source: ContentSource,
  hits: readonly Hit[],
  reading: ViewOptions,
  fromEnd: boolean,
): Promise<readonly LineView[]> {
  return fromEnd ? await viewLast(source, hits, reading) : (await viewHits(source, hits, reading)).views
}

/** View as many of the last hits as are within the limit, or up to half as many. */
async function viewLast(
  source: ContentSource,
  hits: readonly Hit[],
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
