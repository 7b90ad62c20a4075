import { TextCodes } from '../platform/text-codes.ts'

const BLOCK_UNITS = 32_768
/** Longest record in UTF-16 units. A text with a longer record is not a table. */
const LONGEST_RECORD = 1_048_576
/** Largest number of cells in a record with known positions. Spreadsheets have the same limit. */
export const MOST_COLUMNS = 16_384
/** Number of cells for which there is room before the first record. */
const FIRST_COLUMNS = 64
const QUOTE = 34
const NEWLINE = 10
const RETURN = 13

/** A part of a text, with its UTF-16 units as numbers. */
export interface BlockText {
  readonly text: string
  readonly codes: Uint16Array
}

/** Receives the records of a text in order. */
export interface RecordSink {
  /** Take a record without its line end. `bounds` has the start and end of the first cells. */
  record(text: BlockText, start: number, end: number, cells: number, bounds: Int32Array, line: number): void
  /** Called before the memory of `text` is reused. */
  endBlock?(text: BlockText): void
}

/** Splits a text into records of RFC 4180. The text is passed in chunks of any size. Blank lines are ignored. */
export class RecordReader {
  readonly #sink: RecordSink
  readonly #separator: number
  readonly #quotes: boolean
  #bounds = new Int32Array(2 * FIRST_COLUMNS)
  readonly #codes = new TextCodes()
  #buffer = ''
  /** Length of the buffer, in UTF-16 units, from which it is read, so that long records are not read many times. */
  #due = BLOCK_UNITS
  lines = 0
  /** Whether no record was too long to be read. If it is set to `false`, no more records are read. */
  isTable = true
  #first = true
  unclosed = false

  constructor(sink: RecordSink, separator: string, quotes: boolean) {
    this.#sink = sink
    this.#separator = separator.charCodeAt(0)
    this.#quotes = quotes
  }

  push(text: string): void {
    if (this.#first && text !== '') {
      this.#first = false
      if (text.charCodeAt(0) === 0xfeff) {
        this.push(text.slice(1))
        return
      }
    }
    for (let from = 0; from < text.length; from += BLOCK_UNITS) {
      const block = text.length <= BLOCK_UNITS ? text : text.slice(from, from + BLOCK_UNITS)
      // `join` creates one flat string from large parts. Reading it is faster than reading a concatenated string.
      this.#buffer = block.length < BLOCK_UNITS ? this.#buffer + block : [this.#buffer, block].join('')
      if (this.#buffer.length >= this.#due) this.#drain(false)
    }
  }

  finish(): void {
    this.#drain(true)
  }

  #drain(final: boolean): void {
    const text = this.#buffer
    this.#buffer = ''
    if (!this.isTable) return
    const block = { text, codes: this.#codes.of(text) }
    let at = 0
    for (let next = 0; next >= 0 && at < text.length && this.isTable;) {
      next = this.#record(block, at, final)
      if (next >= 0) at = next
    }
    this.#sink.endBlock?.(block)
    this.#buffer = at === 0 ? text : text.slice(at)
    this.#due = Math.max(BLOCK_UNITS, 2 * this.#buffer.length)
    this.isTable &&= this.#buffer.length <= LONGEST_RECORD
  }

  /** Send the record at `from` to the sink. Returns the start of the next record, or -1 if the record is incomplete. */
  #record(block: BlockText, from: number, final: boolean): number {
    const { text, codes } = block
    const length = text.length
    const separator = this.#separator
    let bounds = this.#bounds
    let cells = 0
    let lines = 1
    let at = from
    for (;;) {
      const start = at
      const linesBefore = lines
      if (this.#quotes && codes[at] === QUOTE) {
        for (at++; ; at++) {
          if (at >= length) {
            if (!final) return -1
            this.unclosed = true
            break
          }
          const code = codes[at]!
          if (code === NEWLINE) lines++
          else if (code === QUOTE) {
            if (at + 1 >= length && !final) return -1
            if (at + 1 >= length || codes[at + 1] !== QUOTE) break
            at++
          }
        }
        const next = at + 1 < length ? codes[at + 1] : NEWLINE
        const begins = codes[at - 1] === separator && next !== separator && next !== NEWLINE && next !== RETURN
        // A quote between a separator and a value begins another cell. So the quote of this cell is only a character.
        if (begins && lines > linesBefore) {
          at = start
          lines = linesBefore
        }
      }
      let code = -1
      for (; at < length; at++) {
        code = codes[at]!
        if (code === separator || code === NEWLINE) break
      }
      if (at >= length && !final) return -1
      const more = at < length && code === separator
      const end = !more && at > start && codes[at - 1] === RETURN ? at - 1 : at
      if (2 * cells === bounds.length && cells < MOST_COLUMNS) {
        this.#bounds = new Int32Array(2 * bounds.length)
        this.#bounds.set(bounds)
        bounds = this.#bounds
      }
      if (cells < MOST_COLUMNS) {
        bounds[2 * cells] = start
        bounds[2 * cells + 1] = end
      }
      cells++
      if (!more) {
        const line = this.lines + 1
        this.lines += lines
        this.isTable &&= at - from <= LONGEST_RECORD
        if (end > from) this.#sink.record(block, from, end, cells, bounds, line)
        return Math.min(at + 1, length)
      }
      at++
    }
  }
}

export function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return codes
}

/** Return whether a text has control characters for terminals: escape sequences, carriage returns, or backspaces. */
export function isTerminalText(text: string): boolean {
  return text.includes('\u001b') || text.includes('\r') || text.includes('\b')
}

export function isValue(cell: string): boolean {
  if (cell.length > 40) return false
  return (
    /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?%?$/i.test(cell) ||
    /^\d{4}([-/])\d\d(?:\1\d\d(?:[T ][\d:.,TZ +-]*)?)?$/.test(cell)
  )
}
