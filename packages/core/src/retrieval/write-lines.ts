import { cutToFit, fitCount, fits } from './fit-answer.ts'
import type { AnswerLimit } from './fit-answer.ts'
import type { LineView } from '../search/view-hits.ts'
import { renderLines } from './render-lines.ts'

/** UTF-16 units shown of a line where not all lines asked for fit, and where not even one does. */
const CUT_LINE_LENGTHS = [1_000, 500, 200, 100, 40]

/** What the answer says around lines read. */
export interface LinesFrame {
  /** Write the header for the lines up to `last`. */
  readonly header: (last: number) => string
  /** Say how to go on after line `last`; `undefined` where it is the last one asked for. */
  readonly more: (last: number) => string | undefined
  /** What is said where all lines are there, though not the whole of each. */
  readonly cut: string
}

/** Write a span of lines, as many of them as fit, and how to see the rest. */
export function writeLines(views: readonly LineView[], frame: LinesFrame, limit: AnswerLimit): string {
  const first = views[0]!.number
  const write = (count: number, length: number): string => {
    const last = first + count - 1
    const shown = views.slice(0, count)
    const body = [frame.header(last), '', ...renderLines(shown, length)]
    const more = frame.more(last) ?? (shown.some((view) => view.length > length) ? frame.cut : undefined)
    return (more === undefined ? body : [...body, '', more]).join('\n')
  }
  const longest = Math.max(...views.map((view) => view.text.length))
  const whole = write(views.length, longest)
  if (fits(whole, limit)) return whole
  if (views.length === 1) {
    // A line of its own may take all the room that there is.
    const best = fitCount((length) => write(1, length), 1, longest, limit)
    if (best !== undefined) return best.text
  }
  for (const length of CUT_LINE_LENGTHS) {
    const best = fitCount((count) => write(count, length), 1, views.length, limit)
    if (best !== undefined) return best.text
  }
  return cutToFit(frame.header(first), limit)
}
