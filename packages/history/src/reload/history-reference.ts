import type { ArchivedItem } from '../archive/history-archive.ts'

/** Something stored that a history names. */
export interface HistoryReference extends ArchivedItem {
  /** The position of the message that names it; where `inside` is set, of the one that has the summary. */
  readonly index: number
  /** The tool that returned it, or was given it; absent where it is from no tool. */
  readonly toolName?: string | undefined
  readonly callId?: string | undefined
  /** The name of the stored messages that name it, where they went into a summary; absent where a message names it itself. */
  readonly inside?: string | undefined
}
