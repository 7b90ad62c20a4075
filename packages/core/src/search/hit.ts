/** A hit: a matching line, or one of the matches in a very long line. Offsets are bytes of the content. */
export interface Hit {
  /** Which of the patterns matched, from 0: the one whose match begins first. */
  readonly pattern: number
  readonly start: number
  readonly end: number
}

/** Which hits are kept. */
export interface KeepOptions {
  /** Hits that are passed over before any is kept. */
  readonly skip: number
  /** Hits that are kept, at most; all are counted. */
  readonly limit: number
  /** Keep the last hits instead of the first; `skip` then counts from the end. */
  readonly fromEnd: boolean
}
