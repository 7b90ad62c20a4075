import { countOf, formatCount, utf8Text } from '@spillway/text/internal'
import type { ByteSpan } from '@spillway/text/internal/patterns'
import {
  LINES_AFTER,
  LINES_BEFORE,
  MAX_UNIT_LENGTH,
  PART_LENGTH,
  type Passage,
  type WordFinder,
  type WordScan,
} from '@spillway/text/internal/query'
import type { ContentSource } from '../../content/content-source.ts'
import { lineOfByte } from '../../search/line-finder.ts'
import { unitsToBytes } from '../../search/search-blocks.ts'
import { viewHits, viewLinesAround, type LineView, type LineViews } from '../../search/view-hits.ts'
import { renderLines } from '../render-lines.ts'
import { fitAnswer, fits, withoutResults, type Answer, type AnswerPart } from '../write-answer.ts'
import type { AnswerLimit } from '../retrieval-tool.ts'

const AROUND_PART = 100
/** Lines are marked if the weight of their words is at least this share of the highest weight. */
const TELLING_SHARE = 0.15
/** Largest number of bytes of a UTF-16 unit. */
const BYTES_PER_UNIT = 3
const AROUND = { before: LINES_BEFORE, after: LINES_AFTER, keep: MAX_UNIT_LENGTH }

export function passageReader(
  source: ContentSource,
  { candidates }: WordScan,
  finder: WordFinder,
  weights: readonly number[],
): (passage: Passage) => Promise<ReadPassage> {
  async function read({ candidate, similar, firstSimilar }: Passage): Promise<ReadPassage> {
    const similarLine = similar === 0 ? 0 : await lineOfByte(source, candidates.offset(firstSimilar))
    return { views: await viewsAt(candidates.offset(candidate), candidates.length(candidate)), similar, similarLine }
  }

  async function viewsAt(offset: number, length: number): Promise<readonly LineView[]> {
    const { number, views } = await viewLinesAround(source, offset, AROUND)
    const index = views.findIndex(({ stored }) => stored.number === number)
    if (!views[index]!.stored.isWhole) return await viewPart(offset, length)
    const visible = views.slice(edge(views, index, -1), edge(views, index, 1) + 1)
    const marked = (least: number): LineView[] => visible.map((view) => withMatch(view, least))
    const telling = marked(TELLING_SHARE * Math.max(...weights))
    return telling.some(({ match }) => match !== undefined) ? telling : marked(0)
  }

  /** Mark the best word of a line. If only an earlier state of a progress line has a word, view the whole line. */
  function withMatch({ stored, shown }: LineViews, least: number): LineView {
    for (const view of [shown, stored]) {
      const match = matchIn(view.text, view.text.length, least)
      if (match !== undefined) return { ...view, match }
    }
    return shown
  }

  async function viewPart(offset: number, length: number): Promise<readonly LineView[]> {
    const bytes = await source.read(offset, (PART_LENGTH + AROUND_PART) * BYTES_PER_UNIT)
    const { start, end } = matchIn(utf8Text(bytes, 0, bytes.length), length, 0) ?? { start: 0, end: 0 }
    const byteOf = (unit: number): number => offset + unitsToBytes(bytes, 0, bytes.length, unit)
    const reading = { contextLines: 0, keep: PART_LENGTH + 2 * AROUND_PART, limit: 1 }
    return (await viewHits(source, [{ start: byteOf(start), end: byteOf(end) }], reading)).views
  }

  /** Finds the first word with the highest weight, if this weight is at least `least`. */
  function matchIn(text: string, end: number, least: number): ByteSpan | undefined {
    let best: ByteSpan | undefined
    let bestWeight = -1
    for (let hit = finder(text, 0); hit !== undefined && hit.start < end; hit = finder(text, hit.end)) {
      const weight = Math.max(...hit.words.map((word) => weights[word]!))
      if (weight <= bestWeight || weight < least) continue
      best = { start: hit.start, end: hit.end }
      bestWeight = weight
    }
    return best
  }

  return read
}

/** Returns the last line to show in a direction. The shown lines stop at very long lines, and have no empty edges. */
function edge(views: readonly LineViews[], index: number, step: 1 | -1): number {
  let last = index
  for (let at = index + step; views[at]?.stored.isWhole === true; at += step)
    if (views[at]!.stored.text.trim() !== '') last = at
  return last
}

/** Shapes of a passage, tried in this order: UTF-16 units of a line, and lines around a line with words. */
const SHAPES = [
  { length: 1_000, around: 9 },
  { length: 400, around: 9 },
  { length: 300, around: 2 },
  { length: 200, around: 0 },
] as const

/** Smaller shapes, which are tried if not all passages fit, and again if not even one passage fits. */
const CUT_SHAPES = [
  { length: 300, around: 2 },
  { length: 200, around: 0 },
  { length: 80, around: 0 },
] as const

interface ReadPassage {
  readonly views: readonly LineView[]
  readonly similar: number
  readonly similarLine: number
}

export interface ShownPassage extends ReadPassage {
  readonly reference: string
  /** Absent if all passages are from one content. */
  readonly facts?: string | undefined
}

/** Writes passages. `frame` returns the rest of the answer for a number of shown passages. */
export function writePassages(
  passages: readonly ShownPassage[],
  frame: (shown: number) => Answer,
  limit: AnswerLimit,
): Answer {
  const write = (count: number, shape: PassageShape): Answer => ({
    ...frame(count),
    parts: writeParts(passages.slice(0, count), shape),
  })
  for (const shape of SHAPES) {
    const answer = write(passages.length, shape)
    if (fits(answer, limit)) return answer
  }
  for (const shape of CUT_SHAPES) {
    const best = fitAnswer((count) => write(count, shape), 1, passages.length, limit)
    if (best !== undefined) return best
  }
  return withoutResults(frame(0))
}

interface PassageShape {
  readonly length: number
  readonly around: number
}

function writeParts(passages: readonly ShownPassage[], shape: PassageShape): AnswerPart[] {
  return [...new Set(passages.map(({ reference }) => reference))].map((reference) => {
    const ofEntry = passages.filter((passage) => passage.reference === reference)
    const shown = new Set<number>()
    const written = ofEntry.map((passage) => writePassage(passage, shown, shape))
    const lines = [written.map(({ text }) => text).join('\n\n')]
    const matchingLines = written.flatMap((passage) => passage.matchingLines)
    return { reference, facts: ofEntry[0]!.facts, lines, matchingLines }
  })
}

/** Writes a passage. Lines in `shown`, which earlier passages contain, are not repeated as neighbors. */
function writePassage({ views, similar, similarLine }: ShownPassage, shown: Set<number>, shape: PassageShape) {
  const near = views.filter(
    (view) => isNear(view, views, shape.around) && !(view.start === view.line.start && shown.has(view.number)),
  )
  for (const view of near) shown.add(view.number)
  const { lines, matchingLines } = renderLines(near, shape.length)
  const more = `[and ${countOf(similar, 'more passage')} like this, the first at line ${formatCount(similarLine)}]`
  return { text: (similar === 0 ? lines : [...lines, more]).join('\n'), matchingLines }
}

function isNear(view: LineView, views: readonly LineView[], around: number): boolean {
  return views.some((other) => other.match !== undefined && Math.abs(other.number - view.number) <= around)
}

export const PASSAGES = 5

export interface QueryRequest {
  readonly mode: 'query'
  readonly reference: string | undefined
  readonly query: string
  readonly after: number
}
