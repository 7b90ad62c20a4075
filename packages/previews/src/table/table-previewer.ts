import {
  AlignedReader,
  MOST_COLUMNS,
  RecordReader,
  alignedFormat,
  cellsOf,
  isFooter,
  separatedFormat,
  splitRecord,
  unquote,
  type AlignedFormat,
  type BlockText,
  type LineColumns,
  type RecordSink,
  type SeparatedFormat,
} from '@spillway/text/internal/tables'
import { cleanLine } from '@spillway/text/internal'
import { withSqlExample } from '../layout/gap-marks.ts'
import { writePreview } from '../layout/write-preview.ts'
import type { TextPreviewer, WritePreview } from '../previewer.ts'
import type { TableData } from './table-data.ts'
import { ColumnSummary } from './column-summary.ts'
import { RowSample } from './row-sample.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'

/**
 * Previews CSV, TSV, query results, and aligned columns of commands.
 *
 * It shows the number of rows, each column with its range, values, or empty cells, and the first, the last, and evenly
 * spread rows.
 */
export function tablePreviewer(): TextPreviewer {
  return {
    name: 'table',
    previews: 'text',
    usualTokens: USUAL_TOKENS.structured,
    recognize: (subject) => Math.max(separatedFormat(subject)?.sureness ?? 0, alignedFormat(subject)?.sureness ?? 0),
    read: (subject) => {
      const { words } = subject.intent
      const separated = separatedFormat(subject)
      const aligned = alignedFormat(subject)
      if (aligned !== undefined && aligned.sureness > (separated?.sureness ?? 0)) {
        const reader = new AlignedReader(aligned, (...table) => tableSection(...table, aligned))
        const tables = (): TableData[] | undefined =>
          reader.finish()?.map((section) => ({ ...section.finish(), lines: reader.lines }))
        return { push: (text) => reader.push(text), finish: () => writer(tables(), words) }
      }
      const reader = separated && new SeparatedReader(separated)
      return { push: (text) => reader?.push(text), finish: () => writer(reader?.finish(), words) }
    },
  }
}

function writer(tables: readonly TableData[] | undefined, words: readonly string[]): WritePreview | undefined {
  if (tables === undefined) return undefined
  return async (options) => {
    const { tableItems } = await import('./table-items.ts')
    return writePreview(tableItems(tables, options.budgetTokens, words), withSqlExample(options, columnToCount(tables)))
  }
}

/** Returns a column of the largest table: the first column with few different values, or else the first column. */
function columnToCount(tables: readonly TableData[]): string | undefined {
  // Tables with the same columns are one table in SQL.
  const groups = Map.groupBy(tables, ({ names }) => names?.join(BETWEEN))
  const rowsOf = (group: readonly TableData[]): number => group.reduce((sum, { rows }) => sum + rows, 0)
  const [[largest] = []] = [...groups.values()].toSorted((one, other) => rowsOf(other) - rowsOf(one))
  const { names = [], summaries = [] } = largest ?? {}
  const few = summaries.findIndex(({ values = [] }) => values.length > 1)
  return names[Math.max(0, few)]?.trim()
}

/** Separator of values in a kept record, which is never shown. */
const BETWEEN = '\u001f'

/** Number of notes after the rows to keep. */
const MOST_NOTES = 12
const LONGEST_NOTE = 300

function tableSection(
  lineColumns: LineColumns,
  title: string,
  named: boolean,
  headerLine: number,
  { kind = 'table', largest }: Pick<AlignedFormat, 'kind' | 'largest'>,
) {
  const { names, columns, separator } = lineColumns
  const notes: string[] = []
  const sample = new RowSample()
  let unfit = 0
  const summaries = Array.from({ length: columns }, () => new ColumnSummary())
  const bounds = new Int32Array(2 * columns)

  function add(block: BlockText, start: number, end: number, line: number): void {
    const cells = lineColumns.find(block.codes, start, end, bounds)
    if (cells === 0) unfit++
    for (let cell = 0; cell < summaries.length; cell++) {
      if (cells === 0) summaries[cell]!.addEmpty()
      else summaries[cell]!.add(block, bounds[2 * cell]!, bounds[2 * cell + 1]!)
    }
    sample.add(block.text, start, end, line)
  }

  function finish(): Omit<TableData, 'lines'> {
    return {
      kind,
      largest,
      title,
      headerLine,
      names: named ? names : undefined,
      labels: names,
      columns,
      // Between records, a line of another form is a comment or a message.
      rows: kind === 'table' ? sample.rows : sample.rows - unfit,
      ragged: 0,
      raggedRows: [],
      // If some rows do not fit the columns, the summaries would be incomplete.
      summaries: unfit === 0 ? summaries : [],
      sample: sample.finish(),
      notes,
      split: (row) => cellsOf(lineColumns, row),
      separator,
    }
  }

  return {
    get unfit() {
      return unfit
    },
    get rows() {
      return sample.rows
    },
    columns,
    add,
    endBlock: (text: string): void => sample.endBlock(text),
    note: (text: string): void => {
      if (notes.length < MOST_NOTES) notes.push(text.slice(0, LONGEST_NOTE))
    },
    finish,
  }
}

/** Number of columns to summarize. */
const MOST_SUMMED = 256
/** Number of rows with another number of cells that are remembered. */
const MOST_RAGGED = 16
/** Number of UTF-16 units to keep of comments before the header. */
const LONGEST_TITLE = 200

const KINDS: Readonly<Record<string, string>> = { ',': 'CSV', '\t': 'TSV', ';': 'CSV with ;', '|': 'CSV with |' }

class SeparatedReader implements RecordSink {
  readonly #format: SeparatedFormat
  readonly #records: RecordReader
  readonly #sample = new RowSample()
  readonly #summaries: ColumnSummary[] = []
  #title = ''
  #footer = ''
  #names: string[] | undefined
  #columns = 0
  #ragged = 0
  readonly #raggedRows: number[] = []

  constructor(format: SeparatedFormat) {
    this.#format = format
    this.#records = new RecordReader(this, format.separator, format.quotes)
  }

  push(text: string): void {
    this.#records.push(text)
  }

  /** Returns `undefined` if an unclosed quote hides rows, or a row is too long. */
  finish(): [TableData] | undefined {
    this.#records.finish()
    if (this.#records.unclosed || !this.#records.isTable || this.#columns === 0) return undefined
    const { separator, quotes } = this.#format
    const table: TableData = {
      kind: KINDS[separator] ?? 'CSV',
      title: this.#title,
      names: this.#names,
      columns: this.#columns,
      rows: this.#sample.rows,
      ragged: this.#ragged,
      raggedRows: this.#raggedRows,
      summaries: this.#summaries,
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
    if (cells !== this.#columns && this.#ragged++ < MOST_RAGGED) this.#raggedRows.push(this.#sample.rows)
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
}
