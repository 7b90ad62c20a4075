import { formatCount } from '@spillway/text/internal'
import { cutToFit, fitCount, fits, renderLines, type AnswerLimit } from '../show-hits.ts'
import type { LineView } from '../../search/view-hits.ts'

/** How much is shown of each passage, tried in this order: UTF-16 units of a line, and lines around those with words. */
const SHAPES = [
  { length: 1_000, around: 9 },
  { length: 400, around: 9 },
  { length: 300, around: 2 },
  { length: 200, around: 0 },
] as const

/** Where not all passages fit, as many as do in this form; where not even one does, in the next. */
const CUT_SHAPES = [
  { length: 300, around: 2 },
  { length: 200, around: 0 },
  { length: 80, around: 0 },
] as const

/** A passage as it is shown. */
export interface ShownPassage {
  /** What stands above the passages of the same content; `undefined` where there is only one content. */
  readonly heading: string | undefined
  readonly views: readonly LineView[]
  /** How many more are like it. */
  readonly similar: number
  /** The first line of those. */
  readonly similarLine: number
}

/** What the answer says around passages. */
export interface PassagesFrame {
  /** Write what stands first, above the first `shown` passages. */
  readonly header: (shown: number) => string
  /** Say how to go on after the first `shown` passages; `undefined` where there are no more. */
  readonly more: (shown: number) => string | undefined
}

/** Write passages, best first, those of one content together, as many of them as fit. */
export function writePassages(passages: readonly ShownPassage[], frame: PassagesFrame, limit: AnswerLimit): string {
  const write = (count: number, shape: PassageShape): string => {
    const more = frame.more(count)
    const body = writeGroups(passages.slice(0, count), shape)
    return [frame.header(count), ...body, ...(more === undefined ? [] : [more])].join('\n\n')
  }
  for (const shape of SHAPES) {
    const text = write(passages.length, shape)
    if (fits(text, limit)) return text
  }
  for (const shape of CUT_SHAPES) {
    const best = fitCount((count) => write(count, shape), 1, passages.length, limit)
    if (best !== undefined) return best.text
  }
  return cutToFit(frame.header(0), limit)
}

interface PassageShape {
  readonly length: number
  readonly around: number
}

function writeGroups(passages: readonly ShownPassage[], shape: PassageShape): string[] {
  const groups = new Map<string | undefined, ShownPassage[]>()
  for (const passage of passages) groups.set(passage.heading, [...(groups.get(passage.heading) ?? []), passage])
  return [...groups].flatMap(([heading, ofGroup]) => {
    const shown = new Set<number>()
    const texts = ofGroup.map((passage) => writePassage(passage, shown, shape))
    return heading === undefined ? texts : [`${heading}\n${texts[0]!}`, ...texts.slice(1)]
  })
}

/** @param shown - Lines that passages before this one show: they are not shown again as neighbours. */
function writePassage({ views, similar, similarLine }: ShownPassage, shown: Set<number>, shape: PassageShape): string {
  const near = views.filter(
    (view) => isNear(view, views, shape.around) && !(view.start === view.line.start && shown.has(view.number)),
  )
  for (const view of near) shown.add(view.number)
  const lines = renderLines(near, shape.length)
  if (similar === 0) return lines.join('\n')
  const passages = similar === 1 ? '1 more passage' : `${formatCount(similar)} more passages`
  return [...lines, `[and ${passages} like this, the first at line ${formatCount(similarLine)}]`].join('\n')
}

function isNear(view: LineView, views: readonly LineView[], around: number): boolean {
  return views.some((other) => other.match !== undefined && Math.abs(other.number - view.number) <= around)
}
