import {
  type AlignedFormat,
  type AlignedTable,
  cellsOf,
  type LineColumns,
  type BlockText,
} from '@spillway/text/internal/tables'
import { ColumnSummary } from './column-summary.ts'
import { RowSample } from './row-sample.ts'
import type { TableData } from './table-data.ts'

/** Notes behind the rows that are kept. */
const MOST_NOTES = 12
const LONGEST_NOTE = 300

/** One table of a text of lines, while its rows come. */
export class TableSection implements AlignedTable {
  readonly #columns: LineColumns
  readonly #title: string
  readonly #named: boolean
  readonly #kind: string
  readonly #largest: boolean | undefined
  readonly #summaries: ColumnSummary[]
  readonly #bounds: Int32Array
  readonly #notes: string[] = []
  readonly #sample = new RowSample()
  #unfit = 0

  constructor(
    columns: LineColumns,
    title: string,
    named: boolean,
    { kind = 'table', largest }: Pick<AlignedFormat, 'kind' | 'largest'>,
  ) {
    this.#kind = kind
    this.#largest = largest
    this.#columns = columns
    this.#title = title
    this.#named = named
    this.#summaries = Array.from({ length: columns.columns }, () => new ColumnSummary())
    this.#bounds = new Int32Array(2 * columns.columns)
  }

  /** Rows that do not fit the columns. */
  get unfit(): number {
    return this.#unfit
  }

  get rows(): number {
    return this.#sample.rows
  }

  add(block: BlockText, start: number, end: number, line: number, lines: number): void {
    const cells = this.#columns.find(block.codes, start, end, this.#bounds)
    if (cells === 0) this.#unfit++
    for (let cell = 0; cell < this.#summaries.length; cell++) {
      if (cells === 0) this.#summaries[cell]!.addEmpty()
      else this.#summaries[cell]!.add(block, this.#bounds[2 * cell]!, this.#bounds[2 * cell + 1]!)
    }
    this.#sample.add(block.text, start, end, line, lines)
  }

  get columns(): number {
    return this.#columns.columns
  }

  endBlock(text: string): void {
    this.#sample.endBlock(text)
  }

  note(text: string): void {
    if (this.#notes.length < MOST_NOTES) this.#notes.push(text.slice(0, LONGEST_NOTE))
  }

  finish(): Omit<TableData, 'lines'> {
    const { names, columns, separator } = this.#columns
    return {
      kind: this.#kind,
      largest: this.#largest,
      title: this.#title,
      names: this.#named ? names : undefined,
      labels: names,
      columns,
      rows: this.#sample.rows,
      ragged: 0,
      // What rows hold that do not fit was not summed up.
      summaries: this.#unfit === 0 ? this.#summaries : [],
      sample: this.#sample.finish(),
      notes: this.#notes,
      split: (row) => cellsOf(this.#columns, row),
      separator,
    }
  }
}
