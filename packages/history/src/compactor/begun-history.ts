import type { HistoryMessage } from '../history-message.ts'
import type { ArchivedByHistory, HistoryFailure } from '../history-outcome.ts'

/** The history that a pass begins with. */
export interface BegunHistory {
  readonly messages: readonly HistoryMessage[]
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}
