import { PatternError } from '../platform/platform.ts'
import type { PatternMatcher } from '../platform/platform.ts'
import { engineMatches } from './engine-matches.ts'
import { LONG_LINE_BYTES } from './hit.ts'
import type { MatchSink } from './hit-sink.ts'
import { countLines, matchLines, matchRest } from './match-lines.ts'
import { pieceText } from './piece-text.ts'
import type { PieceText } from './piece-text.ts'
import { MAX_STEPS, PART_LINE, PIECE_BYTES } from './scanner.ts'
import type { Scan, Scanner } from './scanner.ts'
import type { LinePart, SearchBlock } from './search-blocks.ts'
import type { PatternCost } from './search-pattern.ts'

const LINE_FEED = 10
/** Bytes of a piece where all of it goes to an engine elsewhere: each trip takes its time. */
const ENGINE_PIECE_BYTES = 262_144

/** The forms for many lines and for parts of lines take up to this many times the steps of that for one line. */
const TEXT_FORM_STEPS = 6

/** How the lines of a text are matched. All expressions have the flag `g`. */
export interface TextPlan {
  /** For one line. */
  readonly line: RegExp
  /** For many lines at once; absent where there is no such form. */
  readonly text: RegExp | undefined
  /** For a part of a line that does not reach its end. */
  readonly part: RegExp
  /** What every matching line has a match of; absent where nothing is required. */
  readonly required: RegExp | undefined
  readonly cost: PatternCost
  readonly asSingleBytes: boolean
  /** Matches what would cost too much here. */
  readonly engine: () => PatternMatcher
  readonly signal: AbortSignal | undefined
}

/** Lines of a piece that may match: where they begin and end in its text. */
interface Candidates {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Finds a regular expression in decoded text: in place where the cost is known to be small, else by the engine. */
export class TextScanner implements Scanner {
  readonly #plan: TextPlan

  constructor(plan: TextPlan) {
    this.#plan = plan
  }

  *scan(block: SearchBlock, sink: MatchSink): Scan {
    if (block.part !== undefined) {
      return yield* this.#scanPart(block, block.part, sink)
    }
    const { bytes, offset } = block
    const pieceBytes = this.#needsEngine ? ENGINE_PIECE_BYTES : PIECE_BYTES
    for (let start = 0; start < bytes.length;) {
      let end = bytes.lastIndexOf(LINE_FEED, Math.min(start + pieceBytes, bytes.length) - 1)
      // A line longer than a piece, or the last one without an LF.
      if (end < start) end = bytes.indexOf(LINE_FEED, start)
      if (end < 0) end = bytes.length
      const piece = pieceText(bytes, start, end, this.#plan.asSingleBytes)
      const stopped = yield* this.#scanPiece(piece, offset, sink)
      if (stopped !== undefined) return stopped
      start = end + 1
      yield Math.min(start, bytes.length)
    }
    return undefined
  }

  /** Whether every line that may match goes to the engine. */
  get #needsEngine(): boolean {
    return this.#plan.cost.degree === Infinity && this.#plan.required === undefined
  }

  *#scanPiece(piece: PieceText, offset: number, sink: MatchSink): Scan {
    const { text } = piece
    const take = (start: number, end: number, lineStart: number, lineEnd: number): void => {
      // Bytes are asked for in ascending order.
      const from = offset + piece.byteOf(start)
      sink.add(
        from,
        offset + piece.byteOf(end, 'end'),
        offset + piece.byteOf(lineEnd),
        lineEnd - lineStart > LONG_LINE_BYTES,
      )
    }
    const whole = this.#plan.text
    if (whole !== undefined && piece.hasPlainLines && this.#fitsAtOnce(text)) {
      if (sink.wantsPositions) matchLines(whole, text, take)
      else {
        const { lines, hits } = countLines(whole, text)
        sink.count(lines, hits)
      }
      return undefined
    }
    const candidates = findCandidates(text, this.#plan.required)
    const { starts, ends } = candidates
    if (starts.length === 0) return undefined
    if (starts.some((start, index) => this.#steps(ends[index]! - start) > MAX_STEPS)) {
      let matched = 0
      yield this.#askEngine(text, candidates, take).then((lines) => {
        matched = lines
      })
      return matched < starts.length ? piece.byteOf(starts[matched]!) : undefined
    }
    let steps = 0
    for (let index = 0; index < starts.length; index++) {
      const start = starts[index]!
      const end = ends[index]!
      this.#matchLine(text, start, end, take)
      steps += this.#steps(end - start)
      if (steps < MAX_STEPS) continue
      steps = 0
      yield piece.byteOf(end)
    }
    return undefined
  }

  #matchLine(
    text: string,
    start: number,
    end: number,
    take: (start: number, end: number, lineStart: number, lineEnd: number) => void,
  ): void {
    const { line } = this.#plan
    const only = text.slice(start, end)
    line.lastIndex = 0
    const match = line.exec(only)
    if (match === null) return
    const matchEnd = match.index + match[0].length
    take(start + match.index, start + matchEnd, start, end)
    if (only.length <= LONG_LINE_BYTES) return
    matchRest(
      line,
      only,
      Math.max(matchEnd, match.index + 1),
      (from, to) => take(start + from, start + to, start, end),
      only.length,
    )
  }

  async #askEngine(
    text: string,
    { starts, ends }: Candidates,
    take: (start: number, end: number, lineStart: number, lineEnd: number) => void,
  ): Promise<number> {
    const lines = starts.map((start, index) => text.slice(start, ends[index]))
    return await engineMatches(
      this.#plan.engine(),
      lines,
      (line, from, to) => take(starts[line]! + from, starts[line]! + to, starts[line]!, ends[line]!),
      this.#plan.signal,
    )
  }

  *#scanPart({ bytes, offset }: SearchBlock, { from, until, isFirst, isLast }: LinePart, sink: MatchSink): Scan {
    const { line, part, required, asSingleBytes, engine, signal } = this.#plan
    const end = isLast && bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length
    const piece = pieceText(bytes, 0, end, asSingleBytes)
    const { text } = piece
    if (required !== undefined) {
      required.lastIndex = 0
      if (!required.test(text)) return undefined
    }
    const take = (start: number, stop: number): void =>
      sink.add(offset + piece.byteOf(start), offset + piece.byteOf(stop, 'end'), PART_LINE, true)
    const fromUnit = pieceText(bytes, 0, from, asSingleBytes).text.length
    const untilUnit = isLast ? text.length + 1 : pieceText(bytes, 0, until, asSingleBytes).text.length
    if (this.#steps(text.length) > MAX_STEPS) {
      let stopped: number | undefined
      yield engine()
        .match(text, fromUnit, signal)
        .then(
          (found) => {
            for (let at = 0; at < found.length; at += 3)
              if (found[at + 1]! < untilUnit) take(found[at + 1]!, found[at + 2]!)
          },
          (error: unknown) => {
            if (!(error instanceof PatternError) || error.code !== 'timeout') throw error
            stopped = 0
          },
        )
      return stopped
    }
    const regex = isLast ? line : part
    regex.lastIndex = fromUnit
    const match = regex.exec(text)
    if (match === null || match.index >= untilUnit) return undefined
    const stop = match.index + match[0].length
    // Nothing at all is found everywhere: it counts once.
    if (match[0].length > 0 || isFirst || isLast) take(match.index, stop)
    matchRest(regex, text, Math.max(stop, match.index + 1), take, untilUnit)
    return undefined
  }

  /** Steps that the engine of JavaScript takes at most for a line of so many units. */
  #steps(length: number): number {
    const { degree, factor } = this.#plan.cost
    return degree === Infinity ? Infinity : factor * (length + 1) ** degree
  }

  /** Whether all lines of a text can be searched by one call. */
  #fitsAtOnce(text: string): boolean {
    const { cost, required } = this.#plan
    const steps = TEXT_FORM_STEPS * cost.factor * (text.length + 1)
    if (cost.degree <= 1) return steps <= MAX_STEPS
    if (required !== undefined || cost.degree === Infinity) return false
    // Lines are searched one after the other: the longest bounds what each unit costs.
    return steps * (longestLine(text) + 1) ** (cost.degree - 1) <= MAX_STEPS
  }
}

function longestLine(text: string): number {
  let longest = 0
  for (let start = 0; start <= text.length;) {
    const lineFeed = text.indexOf('\n', start)
    const end = lineFeed < 0 ? text.length : lineFeed
    longest = Math.max(longest, end - start)
    start = end + 1
  }
  return longest
}

/** Find the lines that have a match of `required`, or all. */
function findCandidates(text: string, required: RegExp | undefined): Candidates {
  const starts: number[] = []
  const ends: number[] = []
  for (let from = 0; from <= text.length;) {
    let start = from
    if (required !== undefined) {
      required.lastIndex = from
      if (!required.test(text)) break
      const at = required.lastIndex - 1
      start = text.lastIndexOf('\n', at) + 1
    }
    const lineFeed = text.indexOf('\n', start)
    const end = lineFeed < 0 ? text.length : lineFeed
    starts.push(start)
    ends.push(end)
    from = end + 1
  }
  return { starts, ends }
}
