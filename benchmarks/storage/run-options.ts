import type { Kind, Servers } from './place.ts'

/** Settings of a run, and the measured backends. */
export interface RunOptions {
  /** Whether contents are small and rounds few. This checks only that everything runs. */
  readonly isQuick: boolean
  /** Whether databases are filled with a million entries. */
  readonly isFull: boolean
  /** A file in the format of `s3-prices.json`. */
  readonly pricesFile?: string | undefined
  /** Backends whose servers are available. */
  readonly kinds: readonly Kind[]
  readonly servers: Servers
}
