import { cutAtGrapheme } from '../tokens/cut-at-grapheme.ts'
import { isDrawn, LineStates } from './clean-line.ts'
import { detach } from '../shared/detach.ts'

/** Of a longer line, a start and an end of about this length are handed on, and its middle is not. */
export const LONG_LINE_UNITS = 24_576
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
