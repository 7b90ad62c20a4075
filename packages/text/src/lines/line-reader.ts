import { detach } from '../shared/detach.ts'
import { cutAtGrapheme } from '../tokens/cut-at-grapheme.ts'
import { isDrawn, LineStates } from './clean-line.ts'

const BLOCK_UNITS = 32_768

/** Receives the lines of a text in order. */
export interface LineSink {
  /** The next lines are in `window`, to which their positions refer. */
  open(window: string): void
  line(start: number, end: number): void
  /** The start and end of a long line, without `hidden` units between. Progress output is cleaned as in a terminal. */
  longLine(start: string, end: string, hidden: number): void
}

/** Splits a text into lines that end at LF. The text is passed in chunks of any size. */
export class LineReader {
  /** Number of UTF-16 units that were read. */
  length = 0
  readonly #sink: LineSink
  #buffer = ''
  #long: LongLine | undefined

  constructor(sink: LineSink) {
    this.#sink = sink
  }

  push(text: string): void {
    const first = text.length < BLOCK_UNITS ? 0 : text.indexOf('\n') + 1
    const last = text.lastIndexOf('\n') + 1
    if (first === 0 || first === last) {
      this.#append(text)
      return
    }
    // Lines in the middle of a large chunk are read without copying them.
    this.#append(text.slice(0, first))
    this.#drain()
    this.#lines(text, first, last)
    this.length += last - first
    this.#append(text.slice(last))
  }

  finish(): void {
    this.#drain()
    if (this.#long !== undefined) this.#endLongLine()
    else if (this.#buffer !== '') this.#handOn(this.#buffer.length)
  }

  #append(text: string): void {
    for (let from = 0; from < text.length; from += BLOCK_UNITS) {
      this.#buffer += text.length <= BLOCK_UNITS ? text : text.slice(from, from + BLOCK_UNITS)
      if (this.#buffer.length >= BLOCK_UNITS) this.#drain()
    }
  }

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
    // `join` creates one flat string. Reading it is much faster than reading a concatenated string.
    this.#lines(['', this.#buffer.slice(0, units)].join(''), 0, units)
    this.#shift(units)
  }

  #lines(window: string, from: number, to: number): void {
    this.#sink.open(window)
    let start = from
    while (start < to) {
      const found = window.indexOf('\n', start)
      const end = found < 0 ? to : found
      if (end - start > LONG_LINE_UNITS) {
        const line = new LongLine()
        line.add(window.slice(start, end))
        this.#handOnLong(line)
      } else this.#sink.line(start, end)
      start = end + 1
    }
  }

  #shift(units: number): void {
    this.#buffer = units === this.#buffer.length ? '' : this.#buffer.slice(units)
    this.length += units
  }

  #endLongLine(): void {
    const line = this.#long!
    this.#long = undefined
    this.#handOnLong(line)
  }

  #handOnLong(line: LongLine): void {
    line.finish((start, end, hidden) => this.#sink.longLine(start, end, hidden))
  }
}

/** Length of the kept start and of the kept end of a long line, in UTF-16 units. */
const LONG_LINE_UNITS = 24_576
/** Largest number of units by which a cut is moved to avoid splitting a grapheme. */
const CUT_SLACK = 64

export class LongLine {
  #start = ''
  #end = ''
  #length = 0
  readonly #states = new LineStates()
  #count = 0
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

/** Return the end of a text. Only long texts are cut, because cutting takes time. */
const lastOf = (text: string): string =>
  text.length > 4 * LONG_LINE_UNITS ? detach(text.slice(-LONG_LINE_UNITS)) : text
