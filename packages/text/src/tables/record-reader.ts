import { detach } from '../shared/detach.ts'
import { TextCodes } from '../shared/text-codes.ts'

/** UTF-16 units. */
const BLOCK_UNITS = 32_768
/** UTF-16 units. Of a longer record only the start is emitted. */
const LONGEST_RECORD = 65_536
const LONG_RECORD_START = 4_096
/** Default maximum of cells with known positions. */
export const MOST_COLUMNS = 4_096
/** UTF-16 units of each kept cell of a long record, and of all together. */
const LONGEST_KEPT_CELL = 65_536
const LONGEST_KEPT = 4_194_304
const QUOTE = 34
const NEWLINE = 10
const RETURN = 13

/** A part of a text, with its UTF-16 units as numbers. */
export interface BlockText {
  readonly text: string
  readonly codes: Uint16Array
}

export interface KeptCell {
  /** The raw cell, or its beginning. */
  readonly text: string
  /** UTF-16 units of the whole cell. */
  readonly length: number
}

interface RecordReaderOptions {
  /** Maximum cells of a record with known positions. Defaults to 4,096. */
  readonly mostColumns?: number
  /** Whether to keep the first `mostColumns` cells of long records. */
  readonly keepsLong?: boolean
}

/** Receives the records of a text in order. */
export interface RecordSink {
  /** Receives a record without its line end. `bounds` has the starts and ends of cells, up to the maximum. */
  record(text: BlockText, start: number, end: number, cells: number, bounds: Int32Array, line: number): void
  /** Receives a record that is too long to emit as a whole. `kept` is set if the reader keeps cells. */
  longRecord(start: string, cells: number, line: number, kept?: readonly KeptCell[]): void
  /** The memory of `text` is about to be reused. */
  endBlock?(text: BlockText): void
}

/** Splits a text in pieces of any size into records of RFC 4180. Blank lines are ignored. */
export class RecordReader {
  readonly #sink: RecordSink
  readonly #separator: number
  readonly #quotes: boolean
  readonly #mostColumns: number
  readonly #keepsLong: boolean
  readonly #bounds: Int32Array
  readonly #codes = new TextCodes()
  #buffer = ''
  #line = 1
  #long: LongRecord | undefined
  #first = true
  #unclosed = false

  constructor(sink: RecordSink, separator: string, quotes: boolean, options: RecordReaderOptions = {}) {
    this.#sink = sink
    this.#separator = separator.charCodeAt(0)
    this.#quotes = quotes
    this.#mostColumns = options.mostColumns ?? MOST_COLUMNS
    this.#keepsLong = options.keepsLong ?? false
    this.#bounds = new Int32Array(2 * this.#mostColumns)
  }

  get unclosed(): boolean {
    return this.#unclosed
  }

  /** Lines that ended; at the end of the text, all lines. */
  get lines(): number {
    return this.#line - 1
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
      // Joining makes large parts one flat string, which is faster to read than a rope.
      this.#buffer = block.length < BLOCK_UNITS ? this.#buffer + block : [this.#buffer, block].join('')
      if (this.#buffer.length >= BLOCK_UNITS) this.#drain(false)
    }
  }

  finish(): void {
    this.#drain(true)
    if (this.#long !== undefined) this.#endLong(this.#long)
    this.#long = undefined
  }

  #drain(final: boolean): void {
    const text = this.#buffer
    let at = 0
    if (this.#long !== undefined) {
      at = this.#long.push(text, 0)
      if (at < 0) {
        this.#buffer = ''
        return
      }
      this.#endLong(this.#long)
      this.#long = undefined
    }
    const block = { text, codes: this.#codes.of(text) }
    for (let next = at; next >= 0 && at < text.length;) {
      next = this.#record(block, at, final)
      if (next >= 0) at = next
    }
    this.#sink.endBlock?.(block)
    this.#buffer = at === 0 ? text : text.slice(at)
    if (this.#buffer.length > LONGEST_RECORD) {
      this.#long = this.#beginLong(this.#buffer)
      this.#long.push(this.#buffer, 0)
      this.#buffer = ''
    }
  }

  #beginLong(text: string): LongRecord {
    const start = text.slice(0, LONG_RECORD_START)
    return new LongRecord(this.#separator, this.#quotes, start, this.#keepsLong ? this.#mostColumns : 0)
  }

  #endLong(long: LongRecord): void {
    this.#unclosed = long.quoted
    this.#sink.longRecord(long.start, long.cells, this.#line, long.finish())
    this.#line += long.lines
  }

  #wholeLong(record: string, cells: number, line: number): void {
    const long = this.#beginLong(record)
    if (this.#keepsLong) long.push(record, 0)
    this.#sink.longRecord(long.start, cells, line, long.finish())
  }

  /** Emit the record at `from`. Returns the start of the next, or -1 if this one is incomplete. */
  #record(block: BlockText, from: number, final: boolean): number {
    const { text, codes } = block
    const length = text.length
    const separator = this.#separator
    const bounds = this.#bounds
    let cells = 0
    let lines = 1
    let at = from
    for (;;) {
      const start = at
      if (this.#quotes && codes[at] === QUOTE) {
        for (at++; ; at++) {
          if (at >= length) {
            if (!final) return -1
            this.#unclosed = true
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
      }
      let code = -1
      for (; at < length; at++) {
        code = codes[at]!
        if (code === separator || code === NEWLINE) break
      }
      if (at >= length && !final) return -1
      const more = at < length && code === separator
      const end = !more && at > start && codes[at - 1] === RETURN ? at - 1 : at
      if (cells < this.#mostColumns) {
        bounds[2 * cells] = start
        bounds[2 * cells + 1] = end
      }
      cells++
      if (!more) {
        const line = this.#line
        this.#line += lines
        if (at - from > LONGEST_RECORD) this.#wholeLong(text.slice(from, at), cells, line)
        else if (end > from) this.#sink.record(block, from, end, cells, bounds, line)
        return Math.min(at + 1, length)
      }
      at++
    }
  }
}

/** Scans a record to its end without keeping it, except its first cells on request. */
class LongRecord {
  readonly start: string
  readonly #separator: number
  readonly #quotes: boolean
  #state: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  readonly #keeper: CellKeeper | undefined
  cells = 1
  lines = 1

  constructor(separator: number, quotes: boolean, start: string, keptCells: number) {
    this.#separator = separator
    this.#quotes = quotes
    this.start = detach(start)
    this.#keeper = keptCells > 0 ? new CellKeeper(keptCells) : undefined
  }

  /** Return the kept cells. Absent if none were requested. */
  finish(): readonly KeptCell[] | undefined {
    return this.#keeper?.finish()
  }

  get quoted(): boolean {
    return this.#state === 'quoted'
  }

  /** Continue at `from`. Returns the start of the next record, or -1 if this one is incomplete. */
  push(text: string, from: number): number {
    let state = this.#state
    let start = from
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (state === 'quoted') {
        if (code === QUOTE) state = 'closing'
        else if (code === NEWLINE) this.lines++
      } else if (state === 'closing' && code === QUOTE) state = 'quoted'
      else if (code === this.#separator) {
        this.#keeper?.add(text, start, at)
        this.#keeper?.endCell()
        start = at + 1
        this.cells++
        state = 'start'
      } else if (code === NEWLINE) {
        this.#keeper?.add(text, start, at)
        this.#state = 'plain'
        return at + 1
      } else state = state === 'start' && this.#quotes && code === QUOTE ? 'quoted' : 'plain'
    }
    this.#keeper?.add(text, start, text.length)
    this.#state = state
    return -1
  }
}

class CellKeeper {
  readonly #most: number
  readonly #cells: KeptCell[] = []
  #parts: string[] = []
  #kept = 0
  #length = 0
  #left = LONGEST_KEPT

  constructor(most: number) {
    this.#most = most
  }

  add(text: string, start: number, end: number): void {
    this.#length += end - start
    const room = Math.min(LONGEST_KEPT_CELL - this.#kept, this.#left)
    if (this.#cells.length >= this.#most || room <= 0 || end === start) return
    const part = detach(text.slice(start, Math.min(end, start + room)))
    this.#parts.push(part)
    this.#kept += part.length
    this.#left -= part.length
  }

  endCell(): void {
    if (this.#cells.length < this.#most) this.#cells.push({ text: this.#parts.join(''), length: this.#length })
    this.#parts = []
    this.#kept = 0
    this.#length = 0
  }

  finish(): readonly KeptCell[] {
    this.endCell()
    const last = this.#cells.at(-1)
    // The CR of the line end is not part of the cell.
    if (last?.text.length === last?.length && last?.text.endsWith('\r') === true)
      this.#cells[this.#cells.length - 1] = { text: last.text.slice(0, -1), length: last.length - 1 }
    return this.#cells
  }
}

export function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return codes
}

/** Return whether a text has terminal controls: escape sequences, carriage returns, backspaces. */
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
