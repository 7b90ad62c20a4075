import { LineReader } from '../log/line-reader.ts'

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

/** Calls `take` with each line of a text that comes in pieces, in order, however it was cut. */
export class RawLines {
  readonly #reader: LineReader
  #window = ''
  #lines = 0

  constructor(take: (line: RawLine) => void) {
    this.#reader = new LineReader(
      {
        open: (window) => {
          this.#window = window
        },
        line: (start, end) => {
          // A byte order mark begins the text, a carriage return ends the line: neither is part of it.
          const from = this.#lines === 0 && this.#window.charCodeAt(start) === 0xfeff ? start + 1 : start
          const to = end > from && this.#window.charCodeAt(end - 1) === 13 ? end - 1 : end
          take({ number: ++this.#lines, text: this.#window.slice(from, to), tail: '', hidden: 0 })
        },
        longLine: (text, tail, hidden) => take({ number: ++this.#lines, text, tail, hidden }),
      },
      0,
      1,
    )
  }

  /** Lines so far; a final LF ends the last one. */
  get count(): number {
    return this.#lines
  }

  push(text: string): void {
    this.#reader.push(text)
  }

  finish(): void {
    this.#reader.finish()
    this.#window = ''
  }
}
