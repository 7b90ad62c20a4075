import { cleanLine } from '../lines/clean-line.ts'
import { formatCount } from '../lines/format-count.ts'
import { isFooter } from './find-columns.ts'
import { RecordReader } from './record-reader.ts'
import type { BlockText, KeptCell, RecordSink } from './record-reader.ts'
import type { SeparatedFormat } from './separated-format.ts'
import { unquote } from './split-record.ts'
import { columnName } from './column-name.ts'
import type { RowReader, TableRow, TableSink } from './table-row.ts'

/** Cells of a row that are read, at most: as many columns as a spreadsheet has. */
const MOST_COLUMNS = 16_384
/** UTF-16 units of a line that may be a footer. */
const FOOTER_UNITS = 80
const QUOTE = 34

/** Reads the rows of a table whose cells are separated by a character. */
export class SeparatedRows implements RowReader, RecordSink, TableRow {
  readonly #format: SeparatedFormat
  readonly #sink: TableSink
  readonly #records: RecordReader
  #block: BlockText = { text: '', codes: new Uint16Array(0) }
  #bounds: Int32Array = new Int32Array(0)
  #kept: readonly KeptCell[] | undefined
  #columns = 0
  #otherLength = 0
  line = 0
  cells = 0

  constructor(format: SeparatedFormat, sink: TableSink) {
    this.#format = format
    this.#sink = sink
    const options = { mostColumns: MOST_COLUMNS, keepsLong: true }
    this.#records = new RecordReader(this, format.separator, format.quotes, options)
  }

  push(text: string): void {
    this.#records.push(text)
  }

  finish(): readonly string[] | undefined {
    this.#records.finish()
    if (this.#columns === 0) return undefined
    const notes: string[] = []
    if (this.#columns > MOST_COLUMNS)
      notes.push(
        `The table has ${formatCount(this.#columns)} columns, of which the first ${formatCount(MOST_COLUMNS)} are read.`,
      )
    if (this.#otherLength > 0)
      notes.push(
        `Rows with another number of cells than the header: ${formatCount(this.#otherLength)}; cells beyond its columns are not shown.`,
      )
    if (this.#records.unclosed)
      notes.push(
        `A quote in the last row, which begins in line ${this.line}, never closes: its last cell has all that follows.`,
      )
    return notes
  }

  record(block: BlockText, start: number, end: number, cells: number, bounds: Int32Array, line: number): void {
    if (line <= this.#format.comments) return
    this.#block = block
    this.#bounds = bounds
    this.#kept = undefined
    if (cells === 1 && this.#columns > 1 && end - start < FOOTER_UNITS && isFooter(block.text.slice(start, end))) return
    this.#take(cells, line)
  }

  longRecord(_start: string, cells: number, line: number, kept: readonly KeptCell[] = []): void {
    if (line <= this.#format.comments) return
    this.#kept = kept
    this.#take(cells, line)
  }

  #take(cells: number, line: number): void {
    this.line = line
    this.cells = Math.min(cells, MOST_COLUMNS)
    if (this.#columns === 0) {
      this.#columns = cells
      const { header } = this.#format
      const names = Array.from({ length: this.cells }, (_, column) =>
        columnName(header ? cleanLine(this.cell(column) ?? '') : '', column),
      )
      this.#sink.begin(names, 'only')
      if (header) return
    }
    if (cells !== this.#columns) this.#otherLength++
    this.#sink.row(this)
  }

  cell(column: number): string | undefined {
    if (column >= this.cells) return undefined
    const kept = this.#kept
    if (kept !== undefined) {
      const cell = kept[column]
      if (cell === undefined) return undefined
      // The end of a cut cell is not there, so neither is its closing quote.
      return cell.length > cell.text.length && this.#format.quotes && cell.text.startsWith('"')
        ? cell.text.slice(1).replaceAll('""', '"')
        : this.#unquoted(cell.text)
    }
    const start = this.#bounds[2 * column]!
    const text = this.#block.text.slice(start, this.#bounds[2 * column + 1])
    return this.#block.codes[start] === QUOTE ? this.#unquoted(text) : text
  }

  lengthOf(column: number): number {
    const cell = this.#kept?.[column]
    if (cell !== undefined && cell.length > cell.text.length) return cell.length
    return this.cell(column)?.length ?? 0
  }

  #unquoted(text: string): string {
    return this.#format.quotes ? unquote(text) : text
  }
}
