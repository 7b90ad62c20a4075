import { LineReader } from '@spillway/text/internal'

/** A line of a text. */
export interface RawLine {
  /** 1-based. */
  readonly number: number
  /** The line without its line end, or the start of a very long one. */
  readonly text: string
  /** The end of a line that is not there whole. */
  readonly tail: string
  /** UTF-16 units between `text` and `tail`. */
  readonly hidden: number
}

/**
 * Calls `take` with each line of a text that comes in pieces, in order, however it was cut.
 *
 * All lines come in one object, which is of the next line after that: millions of them cost no memory.
 */
export class RawLines {
  readonly #reader: LineReader
  readonly #line = { number: 0, text: '', tail: '', hidden: 0 }
  #window = ''

  /** @param cut - Cuts from each line what is not its own, such as a number that a tool has put before it. */
  constructor(take: (line: RawLine) => void, cut: (text: string) => string = (text) => text) {
    const line = this.#line
    this.#reader = new LineReader(
      {
        open: (window) => {
          this.#window = window
        },
        line: (start, end) => {
          // A byte order mark begins the text, a carriage return ends the line: neither is part of it.
          const from = line.number === 0 && this.#window.charCodeAt(start) === 0xfeff ? start + 1 : start
          const to = end > from && this.#window.charCodeAt(end - 1) === 13 ? end - 1 : end
          line.number++
          line.text = cut(this.#window.slice(from, to))
          line.tail = ''
          line.hidden = 0
          take(line)
        },
        longLine: (text, tail, hidden) => {
          line.number++
          line.text = cut(text)
          line.tail = tail
          line.hidden = hidden
          take(line)
        },
      },
      0,
      1,
    )
  }

  /** Lines so far; a final LF ends the last one. */
  get count(): number {
    return this.#line.number
  }

  push(text: string): void {
    this.#reader.push(text)
  }

  finish(): void {
    this.#reader.finish()
    this.#window = ''
  }
}
