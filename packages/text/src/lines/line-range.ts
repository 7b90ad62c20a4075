/** Lines, 1-based and inclusive. */
export interface LineRange {
  readonly start: number
  readonly end: number
}
