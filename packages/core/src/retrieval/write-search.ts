import { formatCount } from '../content/format-count.ts'
import { cutToFit, fitCount, fits } from './fit-answer.ts'
import type { AnswerLimit } from './fit-answer.ts'
import type { LineView } from './line-view.ts'
import { abridge } from './plain-text.ts'
import { renderLines } from './render-lines.ts'
import type { LineRange } from '../content/line-range.ts'

/** UTF-16 units shown of a line, tried in this order until everything found fits. */
const LINE_LENGTHS = [4_000, 2_000, 1_000, 500]
/** Where not everything fits, and where not even one hit does. */
const CUT_LINE_LENGTHS = [500, 200, 100, 40]

const MAX_PATTERN_LENGTH = 50

/** What is said where a pattern is no valid regular expression. */
export const LITERAL_NOTE = '[The pattern is not a valid regular expression, so it was searched as literal text.]'

/** What a search found in one content. */
export interface SearchFindings {
  /** Matching lines, also those that are not among `views`. */
  readonly hits: number
  /** The first hits with their context. */
  readonly views: readonly LineView[]
  /** Number of the first hit beyond `views`, if there is one. */
  readonly firstLeftOut: number | undefined
}

/** What the answer says around the lines found. */
export interface SearchFrame {
  readonly header: string
  /** Say how to see the hits from line `next` on, of which `shown` come before. */
  readonly more: (shown: number, next: number) => string
}

/** Write `/pattern/` for a header: on one line and of bounded length. */
export function showPattern(pattern: string): string {
  return `/${abridge(pattern, MAX_PATTERN_LENGTH)}/`
}

/** Write `2 matches for /admin/ in lines 10-20`. */
export function showMatches(hits: number, pattern: string, range: LineRange | undefined): string {
  const lines = range === undefined ? '' : ` in lines ${range.start}-${range.end}`
  return `${formatCount(hits)} ${hits === 1 ? 'match' : 'matches'} for ${showPattern(pattern)}${lines}`
}

/** Write what was found, as much of it as fits, and how to see the rest. */
export function writeSearch(found: SearchFindings, frame: SearchFrame, limit: AnswerLimit): string {
  const hitsOnly = found.views.filter(isHit)
  const write = (views: readonly LineView[], count: number, length: number): string => {
    const shown = wholeWindows(views, count)
    const next = views.slice(shown.length).find(isHit)?.number ?? found.firstLeftOut
    const body = [frame.header, '', ...renderLines(shown, length)]
    if (next === undefined) return body.join('\n')
    return [...body, '', frame.more(shown.filter(isHit).length, next)].join('\n')
  }
  for (const length of LINE_LENGTHS) {
    const text = write(found.views, found.views.length, length)
    if (fits(text, limit)) return text
  }
  const attempts = [
    [found.views, CUT_LINE_LENGTHS[0]!] as const,
    ...CUT_LINE_LENGTHS.map((length) => [hitsOnly, length] as const),
  ]
  for (const [views, length] of attempts) {
    const least = views.findIndex(isHit) + 1
    const best = fitCount((count) => write(views, count, length), least, views.length, limit)
    if (best !== undefined) return best.text
  }
  return cutToFit(frame.header, limit)
}

/** Tell whether a line matches, or is there as context. */
export function isHit(view: LineView): boolean {
  return view.match !== undefined
}

/** The first `count` lines, without those that are only context of a hit that is not among them. */
export function wholeWindows(views: readonly LineView[], count: number): readonly LineView[] {
  let end = views.slice(0, count).findLastIndex(isHit) + 1
  while (end > 0 && end < count && views[end]!.number === views[end - 1]!.number + 1) end++
  return views.slice(0, end)
}
