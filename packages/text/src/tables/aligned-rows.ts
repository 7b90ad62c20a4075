import { formatCount } from '../lines/format-count.ts'
import type { AlignedFormat } from './aligned-format.ts'
import { AlignedReader } from './aligned-reader.ts'
import type { AlignedTable } from './aligned-reader.ts'
import type { LineColumns } from './line-columns.ts'
import type { BlockText } from './record-reader.ts'
import { columnName } from './column-name.ts'
import type { RowReader, TableRow, TableSink } from './table-row.ts'

/** Reads the rows of the tables that lines form: aligned columns, or cells between bars. */
export class AlignedRows implements RowReader {
  readonly #reader: AlignedReader<LineTable>
  #table: LineTable | undefined

  constructor(format: AlignedFormat, sink: TableSink) {
    this.#reader = new AlignedReader(format, (columns) => {
      this.#table = new LineTable(columns, sink)
      return this.#table
    })
  }

  push(text: string): void {
    this.#reader.push(text)
  }

  finish(): readonly string[] | undefined {
    const tables = this.#reader.finish()
    if (tables === undefined) return undefined
    const unfit = tables.reduce((sum, table) => sum + table.unfit, 0)
    return unfit === 0
      ? []
      : [`Lines that do not fit the columns: ${formatCount(unfit)}; each is one cell, in the first column.`]
  }
}

/** One table of a text of lines, which hands on its rows. */
class LineTable implements AlignedTable, TableRow {
  readonly #columns: LineColumns
  readonly #sink: TableSink
  readonly #bounds: Int32Array
  #text = ''
  rows = 0
  unfit = 0
  line = 0
  cells = 0

  constructor(columns: LineColumns, sink: TableSink) {
    this.#columns = columns
    this.#sink = sink
    this.#bounds = new Int32Array(2 * columns.columns)
    // Without a header, names are those of what a command prints, such as `mode` and `size`.
    const name = (_: unknown, column: number): string => columnName(columns.names?.[column] ?? '', column)
    sink.begin(Array.from({ length: columns.columns }, name), 'one of several')
  }

  get columns(): number {
    return this.#columns.columns
  }

  add(block: BlockText, start: number, end: number, line: number): void {
    this.rows++
    this.line = line
    this.#text = block.text
    this.cells = this.#columns.find(block.codes, start, end, this.#bounds)
    if (this.cells === 0) {
      this.unfit++
      this.cells = 1
      this.#bounds[0] = start
      this.#bounds[1] = end
    }
    this.#sink.row(this)
  }

  endBlock(): void {
    this.#text = ''
  }

  note(): void {}

  cell(column: number): string | undefined {
    if (column >= this.cells) return undefined
    return this.#text.slice(this.#bounds[2 * column], this.#bounds[2 * column + 1])
  }

  lengthOf(column: number): number {
    return column < this.cells ? this.#bounds[2 * column + 1]! - this.#bounds[2 * column]! : 0
  }
}
