import { cleanLine } from '../lines/clean-line.ts'
import { LineReader, type LineSink } from '../lines/line-reader.ts'

/** Text is read by blocks of this many UTF-16 units. */
const BLOCK_UNITS = 32_768
/** Columns that a record has at most; further ones are passed over. */
const MOST_COLUMNS = 256

/** What stands before each record: `-[ RECORD 1 ]---` of psql's expanded display, `*** 1. row ***` of mysql's `\G`. */
const BEFORE_RECORD = /^(?:-\[ RECORD \d{1,12} \][-+]*|\*{3,40} \d{1,12}\. row \*{3,40})$/

/** Whether a text begins with a record that has a line for each of its columns. */
export function isExpanded(lines: readonly string[]): boolean {
  return BEFORE_RECORD.test(lines[0] ?? '') && lines.filter((line) => BEFORE_RECORD.test(line)).length >= 2
}

/** A record that has a line for each of its columns. */
export interface ExpandedRecord {
  readonly names: readonly string[]
  readonly values: readonly string[]
  /** The line before its first column, 1-based. */
  readonly line: number
}

/** Reads the results of queries that have a line for each cell, and hands on their records in order. */
export class ExpandedRecords implements LineSink {
  readonly #take: (record: ExpandedRecord) => void
  readonly #lines: LineReader
  #window = ''
  #line = 0
  #record: { readonly names: string[]; readonly values: string[]; line: number } | undefined

  constructor(take: (record: ExpandedRecord) => void) {
    this.#take = take
    this.#lines = new LineReader(this, 0, 1)
  }

  /** Lines so far. */
  get lines(): number {
    return this.#line
  }

  push(text: string): void {
    for (let from = 0; from < text.length; from += BLOCK_UNITS) this.#lines.push(text.slice(from, from + BLOCK_UNITS))
  }

  finish(): void {
    this.#lines.finish()
    this.#endRecord()
  }

  open(window: string): void {
    this.#window = window
  }

  line(start: number, end: number): void {
    this.#read(cleanLine(this.#window.slice(start, end)))
  }

  longLine(start: string): void {
    this.#read(cleanLine(start))
  }

  #read(line: string): void {
    this.#line++
    if (BEFORE_RECORD.test(line)) {
      this.#endRecord()
      this.#record = { names: [], values: [], line: this.#line }
      return
    }
    const record = this.#record
    if (record === undefined || record.names.length >= MOST_COLUMNS) return
    const bar = line.search(/[|:]/)
    if (bar <= 0) return
    record.names.push(line.slice(0, bar).trim())
    record.values.push(line.slice(bar + 1).trim())
  }

  #endRecord(): void {
    const record = this.#record
    this.#record = undefined
    if (record !== undefined && record.names.length > 0) this.#take(record)
  }
}
