/** Task of one process in a mixed load. */
export interface LoadTask {
  readonly process: number
  readonly seed: number
  /** Number of operations of each client. */
  readonly steps: number
  readonly clients: number
  readonly instances: number
  readonly limitMs: number
}

/** Result of one process. */
export interface LoadResult {
  readonly operations: Readonly<Record<string, number>>
  readonly problems: readonly string[]
}
