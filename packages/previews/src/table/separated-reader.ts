import { cleanLine } from '@spillway/text/internal'
import {
  isFooter,
  MOST_COLUMNS,
  RecordReader,
  type BlockText,
  type RecordSink,
  type SeparatedFormat,
  splitRecord,
  unquote,
} from '@spillway/text/internal/tables'
import { ColumnSummary } from './column-summary.ts'
import { RowSample } from './row-sample.ts'
import type { TableData } from './table-data.ts'

/** Columns that are summed up. */
const MOST_SUMMED = 256
/** UTF-16 units of the comments before the header that are kept. */
const LONGEST_TITLE = 1_000

const KINDS: Readonly<Record<string, string>> = {
  ',': 'CSV',
  '\t': 'TSV',
  ';': 'CSV with ;',
  '|': 'CSV with |',
}

/** Reads a table whose cells are separated by a character. */
export class SeparatedReader implements RecordSink {
  readonly #format: SeparatedFormat
  readonly #records: RecordReader
  readonly #sample = new RowSample()
  readonly #summaries: ColumnSummary[] = []
  #title = ''
  #footer = ''
  #names: string[] | undefined
  #columns = 0
  #ragged = 0
  #long = 0

  constructor(format: SeparatedFormat) {
    this.#format = format
    this.#records = new RecordReader(this, format.separator, format.quotes)
  }

  push(text: string): void {
    this.#records.push(text)
  }

  /** Returns `undefined` where quotes that never close swallowed rows. */
  finish(): [TableData] | undefined {
    this.#records.finish()
    if (this.#records.unclosed || this.#columns === 0) return undefined
    const { separator, quotes } = this.#format
    const table: TableData = {
      kind: KINDS[separator] ?? 'CSV',
      title: this.#title,
      names: this.#names,
      columns: this.#columns,
      rows: this.#sample.rows,
      ragged: this.#ragged,
      // What long rows hold was not summed up.
      summaries: this.#long === 0 ? this.#summaries : [],
      sample: this.#sample.finish(),
      lines: this.#records.lines,
      split: (row) => splitRecord(row, separator, quotes),
      separator,
      notes: this.#footer === '' ? [] : [this.#footer],
    }
    return [table]
  }

  record(block: BlockText, start: number, end: number, cells: number, bounds: Int32Array, line: number): void {
    const { text } = block
    if (line <= this.#format.comments) {
      if (this.#title.length < LONGEST_TITLE)
        this.#title += `${cleanLine(text.slice(start, Math.min(end, start + LONGEST_TITLE)))}\n`
      return
    }
    const known = Math.min(cells, MOST_COLUMNS)
    if (this.#columns === 0) {
      this.#columns = cells
      const summed = Math.min(cells, MOST_SUMMED)
      for (let column = 0; column < summed; column++) this.#summaries.push(new ColumnSummary())
      if (this.#format.header) {
        const name = (_: unknown, cell: number): string =>
          cleanLine(unquote(text.slice(bounds[2 * cell], bounds[2 * cell + 1])).replace(/\s+/g, ' ')).trim()
        this.#names = Array.from({ length: known }, name)
        return
      }
    }
    if (cells === 1 && this.#columns > 1 && isFooter(text.slice(start, Math.min(end, start + 80)))) {
      this.#footer = text.slice(start, Math.min(end, start + 80))
      return
    }
    if (cells !== this.#columns) this.#ragged++
    const summed = this.#summaries.length
    for (let cell = 0; cell < summed; cell++) {
      if (cell < known) this.#summaries[cell]!.add(block, bounds[2 * cell]!, bounds[2 * cell + 1]!)
      else this.#summaries[cell]!.addEmpty()
    }
    this.#sample.add(text, start, end, line)
  }

  endBlock({ text }: BlockText): void {
    this.#sample.endBlock(text)
  }

  longRecord(start: string, cells: number, line: number): void {
    if (this.#columns === 0) {
      this.#columns = cells
      const known = splitRecord(start, this.#format.separator, this.#format.quotes).slice(0, -1)
      if (this.#format.header) {
        this.#names = known.map((name) => cleanLine(unquote(name)))
        return
      }
    }
    this.#long++
    if (cells !== this.#columns) this.#ragged++
    this.#sample.addLong(start, line)
  }
}
