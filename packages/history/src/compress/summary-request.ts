import type { HistoryMessage } from '../history-message.ts'

/** What a model is asked to summarise. */
export interface SummaryRequest {
  /** All that the model needs, as one message of the user. */
  readonly prompt: string
  /** Tokens that the summary should have at most. */
  readonly maxTokens: number
  /** The messages that it is about, for a prompt of your own. */
  readonly messages: readonly HistoryMessage[]
  /** The snapshot of what came before, which the new one takes in; absent for the first. */
  readonly previousSnapshot: string | undefined
  /** Ends the wait: by the caller, or when the time for a summary is over. */
  readonly signal: AbortSignal
}

/**
 * Ask a model for a summary, and return its answer: text with a `<state_snapshot>` in it. Where it rejects, or answers with
 * anything else, the messages stay. Adapters have one for the models of their framework.
 */
export type Summarize = (request: SummaryRequest) => Promise<string>
