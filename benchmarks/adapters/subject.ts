/** Something to measure: what is done once, and how many tool results pass through it then. */
export interface Subject {
  readonly run: () => unknown
  readonly results: number
}
