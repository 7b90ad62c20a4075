/** A checked call for rows of a table. */
export interface TableRequest {
  readonly mode: 'table'
  readonly reference: string
  /** Columns by name, in the order to show; absent for all. */
  readonly columns: readonly string[] | undefined
  /** A condition as the model wrote it, such as `status >= 500`; absent for all rows. */
  readonly where: string | undefined
  /** Rows to pass over. */
  readonly skip: number
  /** Rows to show, at most; absent for as many as fit. */
  readonly limit: number | undefined
  readonly countOnly: boolean
}
