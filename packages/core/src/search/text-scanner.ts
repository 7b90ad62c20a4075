import { escapeEnd, findBytes, PatternError, stripEscapes, type PatternMatcher } from '@spillway/text/internal'
import {
  countLines,
  createLinearMatcher,
  matchLines,
  matchRest,
  RequiredStrings,
  type ByteSpan,
  type LinearMatcher,
  type SearchPattern,
} from '@spillway/text/internal/patterns'
import { pieceText, type LinePart, type SearchBlock } from './search-blocks.ts'

/** A promise to wait for, or a position in bytes of the block. All matches before this position are reported. */
type ScanStep = Promise<void> | number
/** Yields steps. Returns the offset in the block at which the deadline stopped the scan, or `undefined`. */
export type Scan = Generator<ScanStep, number | undefined, void>

/** Receives matches in the order of the content. Offsets are in bytes of the content. */
export interface MatchSink {
  /** Whether positions are needed. If not, {@link MatchSink.count} is enough. */
  readonly wantsPositions: boolean
  /** Add the first match of a line, or each match of a long line. `line` serves only to distinguish lines. */
  add(start: number, end: number, line: number): void
  count(lines: number, hits: number): void
}

const LINE_FEED = 10
/** Steps of a backtracking engine between two pauses, which take about 50 ms. */
const MAX_STEPS = 33_554_432
/** Size of the chunks that are decoded. V8 creates strings of this size fast, and much larger strings slowly. */
const PIECE_BYTES = 65_536
/** Largest size of chunks in which the required strings are rare. Each chunk costs some microseconds. */
const RARE_PIECE_BYTES = 524_288
/** If strings occur more often than once in this number of bytes, matching all lines is faster. */
const BYTES_PER_STRING = 1_024
/** Cost of a rare byte that does not start a string, as a share of the cost of a line with a string. */
const COST_OF_A_MISS = 1 / 8
/** Number of chunks in which all lines are matched before the strings are searched again. */
const DENSE_PIECES = 64
/** Largest ratio between the steps of the expression for many lines and the steps of the expression for one line. */
const TEXT_FORM_STEPS = 6
/**
 * Limit of steps for each unit. Lines over this limit are matched in linear time. Units of other lines took up to 0.6
 * µs.
 */
const STEPS_PER_UNIT = 16_384
/** Line number of all parts of a very long line. Other lines have positive numbers. */
const PART_LINE = -2
/** Largest number of strings to find in bytes. With more strings, matching an expression in text is faster. */
const MOST_STRINGS = 8
/** Characters that cannot be searched in bytes: lines do not contain them, or different bytes decode to them. */
const NOT_IN_BYTES = /[\r\n\uFEFF\uFFFD\p{Surrogate}]/u
const ESCAPE = '\u001b'
/** Whether an expression names control characters, so that escape sequences are not hidden from it. */
const SEES_ESCAPES = /\\(?:x[01]|u00[01]|0|p\{C)/i
/** Whether text after a match could prevent the match. */
const SEES_END = /\$|\\b|\\B|\(\?<?[=!]/

interface ScanOptions {
  readonly deadlineMs: number
  readonly caller: unknown
  readonly signal?: AbortSignal | undefined
}

interface Line {
  readonly text: string
  /** Start of the line, in bytes of the block. */
  readonly start: number
  readonly add: (start: number, end: number) => void
}

/**
 * Finds the matches of one pattern. The caller checks the clock at each yielded number, and awaits each yielded
 * promise. At most about 50 ms pass between two yields.
 *
 * If the required strings are rare, they are used to find lines. Otherwise all lines of a chunk are matched at once. If
 * a line could cost the runtime's engine too much, it is matched in linear time if possible, and otherwise in a worker.
 */
export function textScanner(
  pattern: SearchPattern,
  options: ScanOptions,
): (block: SearchBlock, sink: MatchSink) => Scan {
  let strings: RequiredStrings | undefined
  let linear: { readonly matcher: LinearMatcher | undefined } | undefined
  let engine: PatternMatcher | undefined
  let rarePieceBytes = PIECE_BYTES
  /** Number of further chunks in which all lines are matched, because the strings were frequent. */
  let densePieces = 0
  /** End of the last match in the parts of a line, in bytes of the content. No other match may start before it. */
  let reached = 0
  const lineRegex = new RegExp(pattern.expression, `${pattern.flags}g`)
  const textRegex = new RegExp(pattern.textExpression, `${pattern.textFlags}g`)
  const sets = stringsInBytes(pattern.required ?? [])
  const seesEscapes = SEES_ESCAPES.test(pattern.expression)

  function* scan(block: SearchBlock, sink: MatchSink): Scan {
    if (block.part !== undefined) return yield* scanPart(block, block.part, sink)
    const { bytes } = block
    // An escape sequence may be inside a string.
    const hasStrings = sets.length > 0 && (seesEscapes || findBytes(bytes, Uint8Array.of(0x1b), 0) < 0)
    for (let start = 0; start < bytes.length;) {
      const isByStrings = hasStrings && densePieces === 0
      const pieceBytes = isByStrings ? rarePieceBytes : PIECE_BYTES
      let end = bytes.lastIndexOf(LINE_FEED, Math.min(start + pieceBytes, bytes.length) - 1)
      // A line longer than a piece, or the last line without an LF.
      if (end < start) end = bytes.indexOf(LINE_FEED, start)
      if (end < 0) end = bytes.length
      const lines = isByStrings ? linesByStrings(block, start, end, sink) : linesAtOnce(block, start, end, sink)
      const stopped = yield* matchOneByOne(lines)
      if (stopped !== undefined) return stopped
      start = end + 1
      yield Math.min(start, bytes.length)
    }
    return undefined
  }

  function linesByStrings(
    { bytes, offset }: SearchBlock,
    start: number,
    end: number,
    sink: MatchSink,
  ): readonly Line[] {
    const found = linesWithStrings(bytes.subarray(0, end), start)
    const load = found.length + strings!.misses * COST_OF_A_MISS
    const isRare = load < (end - start) / BYTES_PER_STRING
    rarePieceBytes = isRare ? Math.min(2 * rarePieceBytes, RARE_PIECE_BYTES) : PIECE_BYTES
    if (!isRare && pattern.cost.degree < Infinity) densePieces = DENSE_PIECES
    return found.map((line) => {
      const { text, byteOf } = pieceText(bytes, line.start, line.end)
      const add = (from: number, to: number): void =>
        sink.add(offset + byteOf(from), offset + byteOf(to, 'end'), offset + line.end)
      return { text, start: line.start, add }
    })
  }

  function linesWithStrings(bytes: Uint8Array, start: number): readonly ByteSpan[] {
    strings ??= new RequiredStrings(sets, pattern.ignoreCase, bytes)
    return strings.lines(bytes, start)
  }

  /** Matches all lines with one expression. Returns the lines that are not matched, because they could cost too much. */
  function linesAtOnce({ bytes, offset }: SearchBlock, start: number, end: number, sink: MatchSink): readonly Line[] {
    if (densePieces > 0) densePieces--
    const { text, hasPlainLines, byteOf } = pieceText(bytes, start, end)
    const add = (from: number, to: number, lineEnd: number): void =>
      sink.add(offset + byteOf(from), offset + byteOf(to, 'end'), offset + start + lineEnd)
    const hidesEscapes = !seesEscapes && text.includes(ESCAPE)
    if (hidesEscapes || !hasPlainLines || !fitsAtOnce(text)) {
      return linesOf(text).flatMap(({ start, end }) => {
        const stored = text.slice(start, end)
        const line = hidesEscapes ? stripEscapes(stored) : stored
        if (!mayMatch(line)) return []
        const unitOf = storedUnits(stored)
        const addStored = (from: number, to: number): void => add(start + unitOf(from), start + unitOf(to), end)
        return [{ text: line, start: byteOf(start), add: addStored }]
      })
    }
    if (sink.wantsPositions) matchLines(textRegex, text, (from, to, _, lineEnd) => add(from, to, lineEnd))
    else {
      const { lines, hits } = countLines(textRegex, text)
      sink.count(lines, hits)
    }
    return []
  }

  function mayMatch(line: string): boolean {
    const text = pattern.ignoreCase ? line.toLowerCase() : line
    return sets.every((set) => set.some((string) => text.includes(string)))
  }

  /** Match lines one by one with pauses. If one line costs too much for this thread, all of them go to the worker. */
  function* matchOneByOne(lines: readonly Line[]): Scan {
    const isCostly = lines.some(({ text }) => stepsOf(text.length) > MAX_STEPS)
    if (isCostly && linearMatcher() === undefined) {
      const text = lines.map((line) => line.text + LINE_END).join('')
      return (yield* matchInWorker(text, 0, (start, end, line) => lines[line]!.add(start, end)))
        ? undefined
        : lines[0]!.start
    }
    let steps = 0
    for (const { text, start, add } of lines) {
      const own = stepsOf(text.length)
      const linear = own > STEPS_PER_UNIT * (text.length + 1) ? linearMatcher() : undefined
      if (linear !== undefined) {
        // Matches are added at the end of the line, because a line counts as searched only if it is searched
        // completely.
        const found: ByteSpan[] = []
        for (const _ of linear.matchLine(text, (from, to) => found.push({ start: from, end: to }))) yield start
        for (const match of found) add(match.start, match.end)
        continue
      }
      if (steps > 0 && steps + own > MAX_STEPS) {
        yield start
        steps = 0
      }
      steps += own
      matchLines(lineRegex, text, add)
    }
    return undefined
  }

  function* scanPart(
    { bytes, offset }: SearchBlock,
    { from, until, isFirst, isLast }: LinePart,
    sink: MatchSink,
  ): Scan {
    if (isFirst) reached = 0
    const end = isLast && bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length
    if (sets.length > 0 && linesWithStrings(bytes.subarray(0, end), 0).length === 0) return undefined
    const piece = pieceText(bytes, 0, end)
    const { text } = piece
    const span = {
      from: pieceText(bytes, 0, Math.max(from, reached - offset)).text.length,
      until: isLast ? text.length + 1 : pieceText(bytes, 0, until).text.length,
    }
    const isOpen = !isLast && SEES_END.test(pattern.expression)
    const take = (start: number, stop: number): void => {
      // An empty match is possible everywhere, so it does not count in the parts between the first and the last.
      if (start >= span.until || (stop === start && !isFirst && !isLast)) return
      const begin = offset + piece.byteOf(start)
      if (begin < reached) return
      reached = offset + piece.byteOf(stop, 'end')
      sink.add(begin, reached, PART_LINE)
    }
    // Without linear time, a match that may depend on the next part is left out.
    const takeClosed = (start: number, stop: number): void => {
      if (!isOpen || stop < text.length) take(start, stop)
    }
    const isCostly = stepsOf(text.length) > MAX_STEPS
    const linear = isCostly || isOpen ? linearMatcher() : undefined
    if (linear !== undefined) {
      for (const _ of linear.matchLine(text, take, { ...span, goesOn: !isLast })) yield 0
    } else if (isCostly) {
      return (yield* matchInWorker(text, span.from, takeClosed)) ? undefined : 0
    } else {
      lineRegex.lastIndex = span.from
      const match = lineRegex.exec(text)
      if (match === null) return undefined
      const stop = match.index + match[0].length
      takeClosed(match.index, stop)
      matchRest(lineRegex, text, Math.max(stop, match.index + 1), takeClosed, span.until)
    }
    return undefined
  }

  /** Matches lines that end with `LINE_END`, or a part of a line. Returns whether this ended before the deadline. */
  function* matchInWorker(
    text: string,
    from: number,
    take: (start: number, end: number, line: number) => void,
  ): Generator<ScanStep, boolean, void> {
    let found: Uint32Array | undefined
    const match = async (): Promise<void> => {
      const engine = await patternMatcher()
      found = await engine.match(text, from, options.signal).catch((error: unknown) => {
        if (error instanceof PatternError && error.code === 'timeout') return undefined
        throw error
      })
    }
    yield match()
    for (let at = 0; found !== undefined && at < found.length; at += 3) take(found[at + 1]!, found[at + 2]!, found[at]!)
    return found !== undefined
  }

  /** Returns `undefined` for patterns with look-around, back-references and very large expressions. */
  function linearMatcher(): LinearMatcher | undefined {
    const { expression, flags } = pattern
    return (linear ??= { matcher: createLinearMatcher(expression, flags) }).matcher
  }

  async function patternMatcher(): Promise<PatternMatcher> {
    const { createPatternMatcher } = await import('@spillway/text/internal/engines')
    const { expression, flags, ignoreCase } = pattern
    const { deadlineMs, caller } = options
    const unicode = flags.includes('u')
    return (engine ??= createPatternMatcher(expression, { ignoreCase, unicode }, { deadlineMs, caller }))
  }

  function stepsOf(length: number): number {
    const { degree, factor } = pattern.cost
    return degree === Infinity ? Infinity : factor * (length + 1) ** degree
  }

  function fitsAtOnce(text: string): boolean {
    const { degree, factor } = pattern.cost
    const steps = TEXT_FORM_STEPS * factor * (text.length + 1)
    if (degree <= 1) return steps <= MAX_STEPS
    if (degree === Infinity) return false
    // Lines are searched one after the other, so the longest line bounds the cost of each unit.
    const longest = linesOf(text).reduce((most, { start, end }) => Math.max(most, end - start), 0)
    return steps * (longest + 1) ** (degree - 1) <= MAX_STEPS
  }

  return scan
}

function stringsInBytes(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let left = MOST_STRINGS
  return sets.filter((set) => {
    if (set.length > left || set.some((text) => NOT_IN_BYTES.test(text))) return false
    left -= set.length
    return true
  })
}

function linesOf(text: string): readonly ByteSpan[] {
  const lines: ByteSpan[] = []
  for (let start = 0; start <= text.length;) {
    const lineFeed = text.indexOf('\n', start)
    const end = lineFeed < 0 ? text.length : lineFeed
    lines.push({ start, end })
    start = end + 1
  }
  return lines
}

/** Maps positions in a line without its escape sequences to the stored line, fastest in ascending order. */
function storedUnits(stored: string): (unit: number) => number {
  let at = 0
  let before = 0
  let escape = stored.indexOf(ESCAPE)
  return (unit) => {
    if (unit < before) [at, before, escape] = [0, 0, stored.indexOf(ESCAPE)]
    while (escape >= 0 && before + escape - at < unit) {
      before += escape - at
      at = Math.max(escape + 1, escapeEnd(stored, escape, stored.length))
      escape = stored.indexOf(ESCAPE, at)
    }
    return at + unit - before
  }
}

/** Text between lines for an engine, which removes one CR before an LF. A CR at the end of a line is then kept. */
const LINE_END = '\r\n'
