import { cleanLine } from '../clean-line.ts'
import { LineReader, type LineSink } from '../log/line-reader.ts'
import { ColumnSummary } from './column-summary.ts'
import type { BlockText } from './record-reader.ts'
import { RowSample } from './row-sample.ts'
import type { TableData } from './table-data.ts'
import { TextCodes } from './text-codes.ts'

/** Text is read by blocks of this many UTF-16 units. */
const BLOCK_UNITS = 32_768
/** Columns that a record has at most; further ones are passed over. */
const MOST_COLUMNS = 256
/** UTF-16 units of a record that are kept. */
const LONGEST_RECORD = 4_096
/** Stands between the values of a record that is kept: a character that is never shown. */
const BETWEEN = '\u001f'

/** What stands before each record: `-[ RECORD 1 ]---` of psql's expanded display, `*** 1. row ***` of mysql's `\G`. */
const BEFORE_RECORD = /^(?:-\[ RECORD \d{1,12} \][-+]*|\*{3,40} \d{1,12}\. row \*{3,40})$/

/** Whether a text begins with a record that has a line for each of its columns. */
export function isExpanded(lines: readonly string[]): boolean {
  return BEFORE_RECORD.test(lines[0] ?? '') && lines.filter((line) => BEFORE_RECORD.test(line)).length >= 2
}

/** Reads the results of queries that have a line for each cell. */
export class ExpandedReader implements LineSink {
  readonly #lines: LineReader
  readonly #sample = new RowSample()
  readonly #summaries: ColumnSummary[] = []
  readonly #codes = new TextCodes()
  #window = ''
  #line = 0
  #names: string[] | undefined
  #record: { readonly names: string[]; readonly values: string[]; line: number } | undefined
  #ragged = 0

  constructor() {
    this.#lines = new LineReader(this, 0, 1)
  }

  push(text: string): void {
    for (let from = 0; from < text.length; from += BLOCK_UNITS) this.#lines.push(text.slice(from, from + BLOCK_UNITS))
  }

  /** Returns `undefined` where no record has a column. */
  finish(): [TableData] | undefined {
    this.#lines.finish()
    this.#endRecord()
    const names = this.#names
    if (names === undefined) return undefined
    return [
      {
        kind: 'table',
        title: '',
        names,
        columns: names.length,
        rows: this.#sample.rows,
        ragged: this.#ragged,
        summaries: this.#ragged === 0 ? this.#summaries : [],
        sample: this.#sample.finish(),
        lines: this.#line,
        isRewritten: true,
        notes: [],
        split: (row) => row.split(BETWEEN),
        separator: '|',
      },
    ]
  }

  open(window: string): void {
    this.#window = window
  }

  line(start: number, end: number): void {
    this.#take(cleanLine(this.#window.slice(start, end)))
  }

  longLine(start: string): void {
    this.#take(cleanLine(start))
  }

  #take(line: string): void {
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
    if (record === undefined || record.names.length === 0) return
    this.#names ??= record.names
    const { values, line } = record
    if (record.names.join(BETWEEN) !== this.#names.join(BETWEEN)) this.#ragged++
    else {
      for (const [column, text] of values.entries()) {
        const block: BlockText = { text, codes: this.#codes.of(text) }
        this.#summaries[column] ??= new ColumnSummary()
        this.#summaries[column].add(block, 0, text.length)
      }
    }
    const text = values.join(BETWEEN)
    this.#sample.add(text, 0, Math.min(text.length, LONGEST_RECORD), line)
    this.#sample.endBlock(text)
    this.#record = undefined
  }
}
