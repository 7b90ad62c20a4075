/** How the budget of a log's preview is shared. */
export interface LogPreviewShares {
  /** The first lines of the text. */
  readonly start: number
  /** The last lines of the text. */
  readonly end: number
  /** The lines between that matter: failures, causes, summaries, and lines unlike all others. */
  readonly between: number
}

export const LOG_SHARES: LogPreviewShares = { start: 0.15, end: 0.3, between: 0.55 }
