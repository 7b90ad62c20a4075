/** What one process of a mixed load is told. */
export interface LoadTask {
  readonly process: number
  readonly seed: number
  /** How many operations each client does. */
  readonly steps: number
  readonly clients: number
  readonly instances: number
  readonly limitMs: number
}

/** What it found. */
export interface LoadResult {
  readonly operations: Readonly<Record<string, number>>
  readonly problems: readonly string[]
}
