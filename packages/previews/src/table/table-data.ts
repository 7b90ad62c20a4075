import type { ColumnSummary } from './column-summary.ts'
import type { SampledRow } from './row-sample.ts'

export interface TableData {
  /** For example `CSV`. */
  readonly kind: string
  /** Lines before the header. */
  readonly title: string
  /** Column names that were read; absent without a header. */
  readonly names: readonly string[] | undefined
  /** Labels of columns without a header. */
  readonly labels?: readonly string[] | undefined
  readonly columns: number
  readonly rows: number
  /** Rows with another number of cells than the header. */
  readonly ragged: number
  /** Summaries of the first columns. */
  readonly summaries: readonly ColumnSummary[]
  readonly sample: readonly SampledRow[]
  /** Lines of the table, including title and notes. */
  readonly lines: number
  readonly split: (row: string) => readonly string[]
  readonly separator: string
  /** Whether the first cells are sizes: the largest rows come first. */
  readonly largest?: boolean | undefined
  /** Lines after the rows. */
  readonly notes: readonly string[]
}
