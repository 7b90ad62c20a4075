import type { ColumnSummary } from './column-summary.ts'
import type { SampledRow } from './row-sample.ts'

/** What was read of a table. */
export interface TableData {
  /** What kind of table it is, such as `CSV`. */
  readonly kind: string
  /** Lines that stand before its header. */
  readonly title: string
  /** The names of its columns as far as they were read; absent where it has no header. */
  readonly names: readonly string[] | undefined
  /** What its columns are called where it has no header. */
  readonly labels?: readonly string[] | undefined
  readonly columns: number
  readonly rows: number
  /** Rows with another number of cells than the header. */
  readonly ragged: number
  /** The columns that were summed up, from the first on. */
  readonly summaries: readonly ColumnSummary[]
  readonly sample: readonly SampledRow[]
  /** Lines of the table, with those before its header and behind its rows. */
  readonly lines: number
  /** Split a row into its cells, as they stand in the text. */
  readonly split: (row: string) => readonly string[]
  /** What stands between the cells of a row that is shown. */
  readonly separator: string
  /** Whether the first cells are sizes, of which the largest tell most. */
  readonly largest?: boolean | undefined
  /** Whether a row that is shown stands in several lines of the text. */
  readonly isRewritten?: boolean | undefined
  /** Lines behind its rows that are none. */
  readonly notes: readonly string[]
}
