import { yieldWhenDue, type CountTokens } from '@spillway/text/internal'
import type { ArchivedKind } from './archive/history-archive.ts'
import type { HistoryMessage, HistoryRole } from './history-message.ts'
import { countMessage } from './measure/count-message.ts'

/**
 * The reason why a message was changed or not.
 *
 * - `within-limits`: the message, or the whole history, is small enough.
 * - `compacted`: references replaced results or arguments.
 * - `compressed`: the message is part of a summary.
 * - `system`: system messages are never shortened.
 * - `recent`: the last messages are not changed.
 * - `request`: the user's last request before the recent messages is not changed.
 * - `not-tool-content`: only tool results and arguments are compacted.
 * - `already-compacted`: the message cannot be reduced further.
 * - `not-smaller`: the replacement would not be smaller.
 * - `not-storable`: the message has no bytes to store, for example media with a URL or results of server tools.
 * - `store-failed`: the content could not be stored.
 * - `no-summarize`: compression needs the option `summarize`.
 * - `summary-failed`: the model failed or timed out, or its summary was rejected.
 * - `too-little`: the messages that can be summarized are too small.
 */
export type HistoryReason =
  | 'within-limits'
  | 'compacted'
  | 'compressed'
  | 'system'
  | 'recent'
  | 'request'
  | 'not-tool-content'
  | 'already-compacted'
  | 'not-smaller'
  | 'not-storable'
  | 'store-failed'
  | 'no-summarize'
  | 'summary-failed'
  | 'too-little'

/** The result for one message. */
export interface MessageStatistics {
  /** The position in the input, from 0. A separate system prompt is the first message. */
  readonly index: number
  readonly role: HistoryRole
  readonly tokens: { readonly before: number; readonly after: number }
  readonly reason: HistoryReason
}

/** A message that keeps a history over its limit. */
export interface HistoryObstacle extends MessageStatistics {
  /** The reason and a fix, in one sentence. */
  readonly explanation: string
}

/** An item that this call stored. */
export interface ArchivedByHistory {
  readonly name: string
  readonly kind: ArchivedKind
  /** Size in bytes. */
  readonly size: number
  /** Index of the item's message. For `messages`, the index of the first message. */
  readonly index: number
}

/** The reason why a summary was rejected. */
export type SummaryRejection =
  /** The callback rejected or threw. */
  | 'model-failed'
  /** The summary took longer than `summaryTimeoutMs`. */
  | 'timeout'
  /** The answer is not text, or has no `<state_snapshot>`. */
  | 'no-snapshot'
  /** The `<overall_goal>` or the `<key_knowledge>` of the summary is missing or empty. */
  | 'incomplete'
  /** The summary is not smaller than the messages. */
  | 'not-smaller'
  /** The summary contains a reference that no message has. */
  | 'unknown-reference'

/** A failed step. The messages of this step do not change. */
export type HistoryFailure =
  | { readonly step: 'store'; readonly index: number; readonly error: unknown }
  | { readonly step: 'summarize'; readonly index: number; readonly reason: SummaryRejection; readonly error?: unknown }

/** The result of {@link compactHistory}. */
export interface HistoryOutcome<Conversation> {
  /** The reduced conversation. An unchanged message is the same object as before. */
  readonly messages: Conversation
  /** The steps that changed the conversation, in order. */
  readonly applied: readonly ('compact' | 'compress')[]
  readonly tokens: { readonly before: number; readonly after: number; readonly limit: number }
  readonly fits: boolean
  /** The messages that keep the history over its limit, the largest first. Empty if the history is within its limit. */
  readonly obstacles: readonly HistoryObstacle[]
  /** One entry for each message of the input. */
  readonly statistics: readonly MessageStatistics[]
  /** Number of unchanged messages at the start. A prompt cache can reuse these messages. */
  readonly unchanged: number
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

export interface WorkingMessage {
  /** The position in the input, or -1 for a created message. */
  readonly index: number
  message: HistoryMessage
  tokens: number
  /** `undefined` until a step has examined the message. */
  reason?: HistoryReason
}

export async function workingMessagesOf(
  messages: readonly HistoryMessage[],
  { countTokens, caller }: { readonly countTokens: CountTokens; readonly caller: unknown },
): Promise<WorkingMessage[]> {
  const working: WorkingMessage[] = []
  for (const [index, message] of messages.entries()) {
    working.push({ index, message, tokens: countMessage(message, countTokens) })
    await yieldWhenDue(caller)
  }
  return working
}

export function replaceMessage(
  workingMessage: WorkingMessage,
  message: HistoryMessage,
  reason: HistoryReason,
  countTokens: CountTokens,
): void {
  workingMessage.message = message
  workingMessage.tokens = countMessage(message, countTokens)
  workingMessage.reason = reason
}

export const totalTokens = (working: readonly WorkingMessage[]): number =>
  working.reduce((sum, { tokens }) => sum + tokens, 0)
