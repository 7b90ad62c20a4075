import type { ColumnSummary } from './column-summary.ts'
import type { SampledRow } from './row-sample.ts'

export interface TableData {
  /** Name of the format, for example `CSV`. */
  readonly kind: string
  /** Lines before the header. */
  readonly title: string
  /** Line of the header, if there are several tables. The title is directly above. */
  readonly headerLine?: number
  /** Names of the columns. Absent if the table has no header. */
  readonly names: readonly string[] | undefined
  /** Labels for the columns of a table without a header. */
  readonly labels?: readonly string[] | undefined
  readonly columns: number
  readonly rows: number
  /** Number of rows that have more or fewer cells than the header, and indexes of the first of them. */
  readonly ragged: number
  readonly raggedRows: readonly number[]
  readonly summaries: readonly ColumnSummary[]
  readonly sample: readonly SampledRow[]
  /** Number of lines in the table, including title and notes. */
  readonly lines: number
  readonly split: (row: string) => readonly string[]
  readonly separator: string
  /** Whether the first cells are sizes. The largest rows are then shown first. */
  readonly largest?: boolean | undefined
  /** Lines after the rows. */
  readonly notes: readonly string[]
}
