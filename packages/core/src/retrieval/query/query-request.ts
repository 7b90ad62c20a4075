/** A checked call for the passages that words are about, in one content or in all of a scope. */
export interface QueryRequest {
  readonly mode: 'query'
  readonly reference: string | undefined
  readonly query: string
  /** Passages to pass over. */
  readonly skip: number
  /** Passages to show, at most; absent for the usual number. */
  readonly limit: number | undefined
}
