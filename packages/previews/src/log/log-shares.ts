/** Shares of the budget that are kept for parts of a log, as far as it has such lines. */
export interface LogPreviewShares {
  /** The first lines of the text. */
  readonly start: number
  /** The last lines of the text. */
  readonly end: number
  /** The lines between that matter: failures, causes, summaries, and lines unlike all others. */
  readonly between: number
}

/** Whatever is worth most is shown, wherever it stands. */
export const LOG_SHARES: LogPreviewShares = { start: 0, end: 0, between: 0 }
