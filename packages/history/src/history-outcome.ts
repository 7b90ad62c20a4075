import type { CountTokens } from '@spillway/text/internal'
import type { ArchivedKind } from './archive/history-archive.ts'
import type { HistoryMessage, HistoryRole } from './history-message.ts'
import { countMessage } from './measure/count-message.ts'

/**
 * The reason for the size of a message.
 *
 * - `within-limits`: it or the whole history is small enough.
 * - `compacted`: its results or arguments are references.
 * - `compressed`: it is part of a summary.
 * - `system`: system messages are never shortened.
 * - `recent`: the last messages stay.
 * - `request`: the user's last request before the recent messages stays.
 * - `not-tool-content`: only tool results and arguments are compacted.
 * - `already-compacted`: it cannot shrink further.
 * - `not-smaller`: its replacement would not be smaller.
 * - `not-storable`: it has no bytes, such as media by URL or results of server tools.
 * - `store-failed`: it could not be stored.
 * - `no-summarize`: compression needs the option `summarize`.
 * - `summary-failed`: the model failed or timed out, or its summary was rejected.
 * - `too-little`: it is too small for a summary.
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
  /** The position in the input, from 0; a separate system prompt is the first. */
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
  /** In bytes. */
  readonly size: number
  /** The message of the item; for `messages`, the first one. */
  readonly index: number
}

/** The reason why a summary was rejected. */
export type SummaryRejection =
  /** The callback rejected or threw. */
  | 'model-failed'
  /** It took longer than `summaryTimeoutMs`. */
  | 'timeout'
  /** It is not text, or has no `<state_snapshot>`. */
  | 'no-snapshot'
  /** Its `<overall_goal>` or `<key_knowledge>` is missing or empty. */
  | 'incomplete'
  /** It is not smaller than the messages. */
  | 'not-smaller'
  /** It names a reference that no message has. */
  | 'unknown-reference'

/** A failed step; its messages stay in the history. */
export type HistoryFailure =
  | { readonly step: 'store'; readonly index: number; readonly error: unknown }
  | { readonly step: 'summarize'; readonly index: number; readonly reason: SummaryRejection; readonly error?: unknown }

/** The result of {@link compactHistory}. */
export interface HistoryOutcome<Conversation> {
  /** The reduced conversation; unchanged messages are the same objects. */
  readonly messages: Conversation
  /** The steps that changed it, in order. */
  readonly applied: readonly ('compact' | 'compress')[]
  readonly tokens: { readonly before: number; readonly after: number; readonly limit: number }
  readonly fits: boolean
  /** If it does not fit, the messages that prevent it, the largest first. */
  readonly obstacles: readonly HistoryObstacle[]
  /** One entry for each input message. */
  readonly statistics: readonly MessageStatistics[]
  /** The number of leading messages that are unchanged, which a prompt cache keeps. */
  readonly unchanged: number
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

export interface WorkingMessage {
  /** The position in the input; -1 for a created message. */
  readonly index: number
  message: HistoryMessage
  tokens: number
  /** `undefined` until a step has examined it. */
  reason?: HistoryReason
}

export const workingMessagesOf = (messages: readonly HistoryMessage[], countTokens: CountTokens): WorkingMessage[] =>
  messages.map((message, index) => ({ index, message, tokens: countMessage(message, countTokens) }))

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
