import { ExpandedRecords, type ExpandedRecord, type BlockText, TextCodes } from '@spillway/text/internal/tables'
import { ColumnSummary } from './column-summary.ts'
import { RowSample } from './row-sample.ts'
import type { TableData } from './table-data.ts'

/** UTF-16 units of a record that are kept. */
const LONGEST_RECORD = 4_096
/** Stands between the values of a record that is kept: a character that is never shown. */
const BETWEEN = '\u001f'

/** Reads the results of queries that have a line for each cell. */
export class ExpandedReader {
  readonly #records = new ExpandedRecords((record) => this.#take(record))
  readonly #sample = new RowSample()
  readonly #summaries: ColumnSummary[] = []
  readonly #codes = new TextCodes()
  #names: readonly string[] | undefined
  #ragged = 0

  push(text: string): void {
    this.#records.push(text)
  }

  /** Returns `undefined` where no record has a column. */
  finish(): [TableData] | undefined {
    this.#records.finish()
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
        lines: this.#records.lines,
        isRewritten: true,
        notes: [],
        split: (row) => row.split(BETWEEN),
        separator: '|',
      },
    ]
  }

  #take({ names, values, line }: ExpandedRecord): void {
    this.#names ??= names
    if (names.join(BETWEEN) !== this.#names.join(BETWEEN)) this.#ragged++
    else {
      for (const [column, text] of values.entries()) {
        const block: BlockText = { text, codes: this.#codes.of(text) }
        this.#summaries[column] ??= new ColumnSummary()
        this.#summaries[column].add(block, 0, text.length)
      }
    }
    const text = values.join(BETWEEN)
    this.#sample.add(text, 0, Math.min(text.length, LONGEST_RECORD), line, 1 + names.length)
    this.#sample.endBlock(text)
  }
}
