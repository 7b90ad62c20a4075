import { LineReader } from '@spillway/text/internal'

export interface RawLine {
  readonly number: number
  /** The line without its end. If the line is very long, only its start is included. */
  readonly text: string
  /** End of a line whose middle was cut. */
  readonly tail: string
  /** Number of UTF-16 units between `text` and `tail`. */
  readonly hidden: number
}

/**
 * Splits a text that arrives in chunks into lines.
 *
 * All lines are passed in the same object, so that millions of lines need little memory.
 */
export class RawLines {
  readonly #reader: LineReader
  readonly #line = { number: 0, text: '', tail: '', hidden: 0 }
  #window = ''

  /** @param cut - Removes a tool's prefix from each line, for example the line number. */
  constructor(take: (line: RawLine) => void, cut: (text: string) => string = (text) => text) {
    const line = this.#line
    this.#reader = new LineReader({
      open: (window) => {
        this.#window = window
      },
      line: (start, end) => {
        // A byte order mark at the start and a carriage return at the end are not part of the line.
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
    })
  }

  /** Return the number of lines. A final LF does not start a line. */
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
