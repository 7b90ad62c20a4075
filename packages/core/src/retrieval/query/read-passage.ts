import { BoundedMap, cleanLine, countOf, formatCount, isDrawn } from '@spillway/text/internal'
import type { ByteSpan } from '@spillway/text/internal/patterns'
import {
  LINES_AFTER,
  LINES_BEFORE,
  MAX_UNIT_LENGTH,
  PART_LENGTH,
  type ChunkPlace,
  type Passage,
  type WordFinder,
  type WordScan,
} from '@spillway/text/internal/query'
import type { ContentSource } from '../../content/content-source.ts'
import { lineAtByte } from '../../search/line-finder.ts'
import type { LineView } from '../../search/view-hits.ts'
import { renderLines } from '../render-lines.ts'
import { fitAnswer, fits, withoutResults, type Answer, type AnswerPart } from '../write-answer.ts'
import type { AnswerLimit } from '../retrieval-tool.ts'

const AROUND_PART = 100
/** Lines are marked if the weight of their words is at least this share of the highest weight. */
const TELLING_SHARE = 0.15
/** Number of decoded chunks to keep, because successive passages are often in the same chunks. */
const KEPT_CHUNKS = 4
const ENCODER = new TextEncoder()

export function passageReader(
  source: ContentSource,
  scan: WordScan,
  finder: WordFinder,
  weights: readonly number[],
): (passage: Passage) => Promise<readonly LineView[]> {
  const texts = new BoundedMap<number, string>(KEPT_CHUNKS)
  let markBytes = 0

  async function read({ candidate }: Passage): Promise<readonly LineView[]> {
    const { candidates, chunks } = scan
    const line = candidates.line(candidate)
    const chunk = candidates.chunk(candidate)
    const place = chunks[chunk]!
    const text = await chunkText(chunk)
    const column = candidates.column(candidate)
    if (isLongPart(place) || column > 0) return [await viewPart(text, chunk, line, column)]
    const lines = linesOf(text)
    const at = line - place.firstLine
    if (lines[at]!.length > MAX_UNIT_LENGTH) return [await viewPart(text, chunk, line, column)]
    const before = at >= LINES_BEFORE ? [] : await neighbours(chunk - 1)
    const after = at + LINES_AFTER < lines.length ? [] : await neighbours(chunk + 1)
    const all = [...before, ...lines, ...after]
    const index = before.length + at
    const first = firstShown(all, index)
    const shown = all.slice(first, endShown(all, index))
    const base = textStart(before.length > 0 ? chunk - 1 : chunk)
    const start = base + ENCODER.encode(all.slice(0, first).join('')).length
    const views = (least: number): LineView[] => {
      let next = start
      return shown.map((text, offset) => {
        const view = viewLine(text, next, line - index + first + offset, least)
        next += ENCODER.encode(text).length
        return view
      })
    }
    const marked = views(TELLING_SHARE * Math.max(...weights))
    return marked.some((view) => view.match !== undefined) ? marked : views(0)
  }

  /** Views a progress line as a terminal shows it. If only an earlier state has a word, views the whole line. */
  function viewLine(line: string, start: number, number: number, least: number): LineView {
    const stored = line.replace(/\r?\n$/, '')
    const of = { number, line: { start, end: start + ENCODER.encode(stored).length }, start, isWhole: true }
    const view = (text: string, isShown: boolean): LineView => {
      const match = matchIn(text, 0, text.length, least)
      return { ...of, text, bytes: ENCODER.encode(text), match, isShown }
    }
    const whole = view(stored, false)
    const shown = isDrawn(stored) ? view(cleanLine(stored), true) : whole
    return shown.match === undefined && whole.match !== undefined ? whole : shown
  }

  async function viewPart(text: string, chunk: number, line: number, column: number): Promise<LineView> {
    const place = scan.chunks[chunk]!
    const lineStart = line === place.firstLine ? 0 : nthLineStart(text, line - place.firstLine)
    const lineFeed = text.indexOf('\n', lineStart)
    const lineEnd = withoutReturn(text, lineStart, lineFeed < 0 ? text.length : lineFeed)
    const before = line === place.firstLine ? place.column : 0
    const start = lineStart + column - before
    const from = Math.max(lineStart, start - AROUND_PART)
    const to = Math.min(lineEnd, start + PART_LENGTH + AROUND_PART)
    const match = matchIn(text, start, Math.min(lineEnd, start + PART_LENGTH), 0)
    const shown = text.slice(from, to)
    const bytes = ENCODER.encode(shown)
    const first = textStart(chunk) + ENCODER.encode(text.slice(0, from)).length
    const { start: begin, end } = await lineAtByte(source, first)
    const isStart = lineStart === from && before === 0
    const isEnd = to === lineEnd && lineFeed >= 0
    return {
      number: line,
      line: { start: isStart ? first : begin, end: isEnd ? first + bytes.length : end },
      text: shown,
      bytes,
      start: first,
      isWhole: false,
      match: match && { start: match.start - from, end: match.end - from },
    }
  }

  /** Finds the word with the highest weight of at least `least`. Of equal weights, the first word is returned. */
  function matchIn(text: string, start: number, end: number, least: number): ByteSpan | undefined {
    let best: ByteSpan | undefined
    let bestWeight = -1
    for (let hit = finder(text, start); hit !== undefined && hit.start < end; hit = finder(text, hit.end)) {
      const weight = Math.max(...hit.words.map((word) => weights[word]!))
      if (weight <= bestWeight || weight < least) continue
      best = { start: hit.start, end: hit.end }
      bestWeight = weight
    }
    return best
  }

  async function neighbours(chunk: number): Promise<readonly string[]> {
    const place = scan.chunks[chunk]
    if (place === undefined || isLongPart(place)) return []
    return linesOf(await chunkText(chunk))
  }

  async function chunkText(chunk: number): Promise<string> {
    const known = texts.get(chunk)
    if (known !== undefined) return known
    const { offset, size } = scan.chunks[chunk]!
    const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await source.read(offset, size))
    const isMarked = offset === 0 && decoded.startsWith('\uFEFF')
    if (isMarked) markBytes = 3
    const text = isMarked ? decoded.slice(1) : decoded
    texts.set(chunk, text)
    return text
  }

  function textStart(chunk: number): number {
    const { offset } = scan.chunks[chunk]!
    return offset === 0 ? markBytes : offset
  }

  return read
}

function isLongPart({ column, open }: ChunkPlace): boolean {
  return column > 0 || open
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/)
}

function nthLineStart(text: string, index: number): number {
  let start = 0
  for (let line = 0; line < index; line++) start = text.indexOf('\n', start) + 1
  return start
}

function withoutReturn(text: string, start: number, end: number): number {
  return end > start && text.charCodeAt(end - 1) === 13 ? end - 1 : end
}

/** Returns the index of the first line to show. The shown lines stop at very long lines, and have no empty edges. */
function firstShown(lines: readonly string[], index: number): number {
  let first = index
  for (let at = index - 1; at >= Math.max(0, index - LINES_BEFORE) && lines[at]!.length <= MAX_UNIT_LENGTH; at--) {
    if (lines[at]!.trim() !== '') first = at
  }
  return first
}

function endShown(lines: readonly string[], index: number): number {
  let end = index + 1
  for (
    let at = end;
    at < Math.min(lines.length, index + LINES_AFTER + 1) && lines[at]!.length <= MAX_UNIT_LENGTH;
    at++
  ) {
    if (lines[at]!.trim() !== '') end = at + 1
  }
  return end
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

export interface ShownPassage {
  readonly reference: string
  /** Absent if all passages are from one content. */
  readonly facts?: string | undefined
  readonly views: readonly LineView[]
  readonly similar: number
  readonly similarLine: number
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
