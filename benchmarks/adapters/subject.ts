/** Work to measure: a function, and the number of tool results that one call of it handles. */
export interface Subject {
  readonly run: () => unknown
  readonly results: number
}
