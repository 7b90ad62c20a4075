import { detach } from '../shared/detach.ts'
import { cutAtGrapheme } from '../tokens/cut-at-grapheme.ts'
import { isDrawn, LineStates } from './clean-line.ts'

/** Text that comes in small pieces is taken in by blocks of about this many UTF-16 units. */
const BLOCK_UNITS = 32_768

/** Takes the lines of a text in order. */
export interface LineSink {
  /** The lines that follow stand in `window`, from `from` on; it begins at offset `origin` of the text. */
  open(window: string, from: number, origin: number): void
  line(start: number, end: number): void
  /** A line too long to be handed on whole, between whose `start` and `end` so many units are `hidden`; of progress, what is left of it. */
  longLine(start: string, end: string, hidden: number): void
}

/**
 * Splits a text that comes in pieces of any size into its lines.
 *
 * Lines end at LF; a final LF ends the last line. Each window holds `contextUnits` before its first line, as far as the
 * text has them and no long line stands there: what the sink sees does not depend on how the text was split.
 */
export class LineReader {
  readonly #sink: LineSink
  readonly #contextUnits: number
  readonly #tailUnits: number
  /** What has come and not been handed on. */
  #buffer = ''
  /** Offset in the text of the buffer's first unit. */
  #offset = 0
  /** The end of the text before the buffer. */
  #context = ''
  #contextStart = 0
  /** The text before the buffer, at least `tailUnits` of it. */
  readonly #recent: string[] = []
  #recentUnits = 0
  #long: LongLine | undefined

  constructor(sink: LineSink, contextUnits: number, tailUnits: number) {
    this.#sink = sink
    this.#contextUnits = contextUnits
    this.#tailUnits = tailUnits
  }

  /** UTF-16 units handed on. */
  get length(): number {
    return this.#offset
  }

  /** Offset after the last long line: no window shows what stands before it. */
  get contextStart(): number {
    return this.#contextStart
  }

  push(text: string): void {
    if (text.length < BLOCK_UNITS) {
      this.#append(text)
      return
    }
    // Once the text itself holds the context of its lines, they are read in place.
    const first = text.indexOf('\n', this.#contextUnits) + 1
    const last = text.lastIndexOf('\n') + 1
    if (first === 0 || first === last) {
      this.#append(text)
      return
    }
    this.#append(text.slice(0, first))
    this.#drain()
    this.#lines(text, first, last, this.#offset - first)
    this.#pass(text.slice(Math.max(first, last - this.#tailUnits), last))
    this.#offset += last - first
    this.#append(text.slice(last))
  }

  finish(): void {
    this.#drain()
    if (this.#long !== undefined) this.#endLongLine()
    else if (this.#buffer !== '') this.#handOn(this.#buffer.length)
  }

  /** The lines that stand whole in the last `tailUnits` of the text, without their line ends. */
  lastLines(): string[] {
    const earliest = Math.max(this.#contextStart, this.#offset - this.#tailUnits)
    if (earliest >= this.#offset) return []
    let text = this.#recent.join('').slice(earliest - this.#offset)
    // A first line that may have begun earlier is not whole.
    if (earliest > this.#contextStart) text = text.slice(text.indexOf('\n') + 1)
    if (text === '') return []
    return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  }

  #append(text: string): void {
    for (let from = 0; from < text.length; from += BLOCK_UNITS) {
      this.#buffer += text.length <= BLOCK_UNITS ? text : text.slice(from, from + BLOCK_UNITS)
      if (this.#buffer.length >= BLOCK_UNITS) this.#drain()
    }
  }

  /** Hand on the whole lines of the buffer, and a long line as far as it has come. */
  #drain(): void {
    if (this.#long !== undefined) {
      const end = this.#buffer.indexOf('\n')
      const units = end < 0 ? this.#buffer.length : end
      this.#long.add(this.#buffer.slice(0, units))
      this.#shift(end < 0 ? units : units + 1)
      if (end < 0) return
      this.#endLongLine()
    }
    const end = this.#buffer.lastIndexOf('\n') + 1
    if (end > 0) this.#handOn(end)
    if (this.#buffer.length > LONG_LINE_UNITS) {
      this.#long = new LongLine()
      this.#long.add(this.#buffer)
      this.#shift(this.#buffer.length)
    }
  }

  #handOn(units: number): void {
    // Joined, the window is one flat string, which is read much faster than slices of others.
    const window = [this.#context, this.#buffer.slice(0, units)].join('')
    this.#lines(window, this.#context.length, window.length, this.#offset - this.#context.length)
    this.#shift(units)
  }

  #lines(window: string, from: number, to: number, origin: number): void {
    this.#sink.open(window, from, origin)
    let start = from
    while (start < to) {
      const found = window.indexOf('\n', start)
      const end = found < 0 ? to : found
      if (end - start > LONG_LINE_UNITS) {
        const line = new LongLine()
        line.add(window.slice(start, end))
        this.#handOnLong(line)
        this.#contextStart = origin + end + 1
      } else this.#sink.line(start, end)
      start = end + 1
    }
    this.#context = window.slice(Math.max(0, to - this.#contextUnits), to)
  }

  /** Move the first units of the buffer behind it. */
  #shift(units: number): void {
    const whole = units === this.#buffer.length
    this.#pass(whole ? this.#buffer : this.#buffer.slice(0, units))
    this.#buffer = whole ? '' : this.#buffer.slice(units)
    this.#offset += units
  }

  #pass(text: string): void {
    this.#recent.push(text)
    this.#recentUnits += text.length
    while (this.#recentUnits - this.#recent[0]!.length >= this.#tailUnits)
      this.#recentUnits -= this.#recent.shift()!.length
  }

  #endLongLine(): void {
    const line = this.#long!
    this.#long = undefined
    this.#handOnLong(line)
    this.#context = ''
    this.#contextStart = this.#offset
  }

  #handOnLong(line: LongLine): void {
    line.finish((start, end, hidden) => this.#sink.longLine(start, end, hidden))
  }
}

/** Of a longer line, a start and an end of about this length are handed on, and its middle is not. */
const LONG_LINE_UNITS = 24_576
/** A cut moves by less than this to stand between two graphemes. */
const CUT_SLACK = 64

/** Collects a line that is too long to be handed on whole: its start and its end, or what a terminal shows of it. */
export class LongLine {
  #start = ''
  #end = ''
  #length = 0
  readonly #states = new LineStates()
  /** States that are not blank. */
  #count = 0
  /** The state that goes on, or its end. */
  #state = ''

  add(text: string): void {
    this.#length += text.length
    if (this.#start.length < LONG_LINE_UNITS) this.#start = detach((this.#start + text).slice(0, LONG_LINE_UNITS))
    this.#end = lastOf(this.#end + text)
    let from = 0
    for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', from)) {
      this.#endState(text.slice(from, at))
      from = at + 1
    }
    this.#state = lastOf(this.#state + text.slice(from))
  }

  /** Hand on the whole line. */
  finish(take: (start: string, end: string, hidden: number) => void): void {
    this.#endState('')
    const end = this.#end.slice(-LONG_LINE_UNITS)
    if (this.#count > 1 || isDrawn(end.trimEnd())) {
      const text = this.#states.text()
      if (text.length <= LONG_LINE_UNITS) take(detach(text), '', 0)
      else handOn(text, text, text.length, take)
    } else handOn(this.#start, end, this.#length, take)
  }

  #endState(text: string): void {
    const state = (this.#state + text).slice(-LONG_LINE_UNITS)
    this.#state = ''
    if (state.trim() === '') return
    this.#count++
    this.#states.add(state)
  }
}

function handOn(
  start: string,
  end: string,
  length: number,
  take: (start: string, end: string, hidden: number) => void,
): void {
  const first = detach(cutAtGrapheme(start, LONG_LINE_UNITS - CUT_SLACK))
  const last = detach(cutAtGrapheme(end, LONG_LINE_UNITS - CUT_SLACK, true))
  take(first, last, length - first.length - last.length)
}

/** The last units of what has come; more of them are held for a while, as cutting costs time. */
const lastOf = (text: string): string =>
  text.length > 4 * LONG_LINE_UNITS ? detach(text.slice(-LONG_LINE_UNITS)) : text
