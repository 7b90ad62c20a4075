import type { Kind, Servers } from './place.ts'

/** How one run measures, and which backends. */
export interface RunOptions {
  /** Small contents and few rounds: shows that everything runs, and proves nothing. */
  readonly isQuick: boolean
  /** Fill databases with a million entries. */
  readonly isFull: boolean
  /** A file like `s3-prices.json`. */
  readonly pricesFile?: string | undefined
  /** The backends whose servers are there. */
  readonly kinds: readonly Kind[]
  readonly servers: Servers
}
