/** A checked call for what a JSONPath selects. */
export interface JsonPathRequest {
  readonly mode: 'json-path'
  readonly reference: string
  /** An expression of RFC 9535. */
  readonly path: string
  /** Results to pass over. */
  readonly skip: number
  /** Results to show, at most; absent for as many as fit. */
  readonly limit: number | undefined
  readonly countOnly: boolean
}
