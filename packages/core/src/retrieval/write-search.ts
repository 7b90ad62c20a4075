import { cutToFit, fitCount, fits } from './fit-answer.ts'
import type { AnswerLimit } from './fit-answer.ts'
import { renderLines } from './render-lines.ts'
import type { ShownLine } from './render-lines.ts'

/** UTF-16 units shown of a line, tried in this order until everything found fits. */
const LINE_LENGTHS = [4_000, 2_000, 1_000, 500]
/** Where not everything fits, and where not even one hit does. */
const CUT_LINE_LENGTHS = [500, 200, 100, 40]

/** What the answer says around the lines found, for the hits that it shows. */
export interface SearchFrame {
  /** Write what comes first. */
  readonly header: (shown: number) => string
  /** Say how to see the hits that are not shown; `undefined` where there are none. */
  readonly more: (shown: readonly ShownLine[]) => string | undefined
  /** Keep the last hits, where not all fit, instead of the first. */
  readonly fromEnd: boolean
}

/** Write what was found, as much of it as fits, and how to see the rest. */
export function writeSearch(views: readonly ShownLine[], frame: SearchFrame, limit: AnswerLimit): string {
  const hitsOnly = views.filter(isHit)
  const take = frame.fromEnd ? lastWindows : wholeWindows
  const write = (from: readonly ShownLine[], count: number, length: number): string => {
    const shown = take(from, count)
    const hits = shown.filter(isHit)
    const lines = renderLines(shown, length)
    const more = frame.more(hits)
    const body = [frame.header(hits.length), ...(lines.length === 0 ? [] : ['', ...lines])]
    return (more === undefined ? body : [...body, '', more]).join('\n')
  }
  const longest = Math.max(0, ...views.map(({ text }) => text.length))
  for (const [index, length] of LINE_LENGTHS.entries()) {
    // The text is that of the length before.
    if (index > 0 && longest <= length) break
    const text = write(views, views.length, length)
    if (fits(text, limit)) return text
  }
  const attempts = [
    [views, CUT_LINE_LENGTHS[0]!] as const,
    ...CUT_LINE_LENGTHS.map((length) => [hitsOnly, length] as const),
  ]
  for (const [from, length] of attempts) {
    const nearest = frame.fromEnd ? from.toReversed() : from
    const least = nearest.findIndex(isHit) + 1
    const best = fitCount((count) => write(from, count, length), least, from.length, limit)
    if (best !== undefined) return best.text
  }
  return cutToFit(frame.header(0), limit)
}

/** Tell whether a line matches, or is there as context. */
export function isHit(view: ShownLine): boolean {
  return view.match !== undefined
}

/** The first `count` lines, without those that are only context of a hit that is not among them. */
export function wholeWindows(views: readonly ShownLine[], count: number): readonly ShownLine[] {
  let end = views.slice(0, count).findLastIndex(isHit) + 1
  while (end > 0 && end < count && views[end]!.number === views[end - 1]!.number + 1) end++
  return views.slice(0, end)
}

/** The last `count` lines, without those that are only context of a hit that is not among them. */
export function lastWindows(views: readonly ShownLine[], count: number): readonly ShownLine[] {
  const least = views.length - count
  let start = views.findIndex((view, index) => index >= least && isHit(view))
  if (start < 0) return []
  while (start > least && views[start - 1]!.number === views[start]!.number - 1) start--
  return views.slice(start)
}
