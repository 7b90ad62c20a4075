import type { CountTokens } from '@spillway/text/internal'
import { countMessage } from './measure/count-message.ts'
import type { HistoryMessage } from './history-message.ts'
import type { HistoryReason } from './history-outcome.ts'

/** A message on its way to become smaller. */
export interface Draft {
  /** Its position among the messages that came in. */
  readonly index: number
  message: HistoryMessage
  /** Tokens now. */
  tokens: number
  /** Why it is as it is; where nothing has said that yet, nobody has looked at it. */
  reason?: HistoryReason
}

/** Start with messages as they came in. */
export const draftsOf = (messages: readonly HistoryMessage[], countTokens: CountTokens): Draft[] =>
  messages.map((message, index) => ({ index, message, tokens: countMessage(message, countTokens) }))

/** Put another message in the place of the one that a draft has. */
export function redraft(draft: Draft, message: HistoryMessage, reason: HistoryReason, countTokens: CountTokens): void {
  draft.message = message
  draft.tokens = countMessage(message, countTokens)
  draft.reason = reason
}

/** Tokens of all messages. */
export const totalTokens = (drafts: readonly Draft[]): number => drafts.reduce((sum, { tokens }) => sum + tokens, 0)
