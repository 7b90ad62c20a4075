import type { CountTokens } from '@spillway/text/internal'
import type { ArchivedKind } from './archive/history-archive.ts'
import type { HistoryMessage, HistoryRole } from './history-message.ts'
import { countMessage } from './measure/count-message.ts'

/**
 * Why a message of an outcome has the size that it has.
 *
 * - `within-limits`: it was small enough, or the whole history was.
 * - `compacted`: results or arguments of it are references now.
 * - `compressed`: it went into a summary.
 * - `system`: system messages are never shortened; a snapshot is appended to one.
 * - `recent`: it is one of the last messages, which stay.
 * - `request`: the last words of the user before the recent messages stay, so that the model knows what it works on.
 * - `not-tool-content`: compacting takes results and arguments of tools only.
 * - `already-compacted`: it is as short as it gets.
 * - `not-smaller`: what would stand in its place is no smaller.
 * - `not-storable`: what makes it large has no bytes of its own, such as media by URL or results of a provider's tools.
 * - `store-failed`: it could not be stored, and so stays.
 * - `no-summarize`: compressing needs the option `summarize`.
 * - `summary-failed`: the model failed, took too long, or its summary was rejected.
 * - `too-little`: there is too little of it to be worth a summary.
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

/** What became of one message. */
export interface MessageStatistics {
  /** Its position among the messages that came in, from 0; a system prompt that an API has apart is the first. */
  readonly index: number
  readonly role: HistoryRole
  readonly tokens: { readonly before: number; readonly after: number }
  readonly reason: HistoryReason
}

/** A message that keeps a history over its limit. */
export interface HistoryObstacle extends MessageStatistics {
  /** What it is and what can be done, in a sentence. */
  readonly explanation: string
}

/** Something that this call stored. */
export interface ArchivedByHistory {
  readonly name: string
  readonly kind: ArchivedKind
  /** In bytes. */
  readonly size: number
  /** The message that it is from, and with `messages` the first of them; as of {@link MessageStatistics.index}. */
  readonly index: number
}

/** Why a summary was not used. */
export type SummaryRejection =
  /** The model rejected, or threw. */
  | 'model-failed'
  /** It took more than `summaryTimeoutMs`. */
  | 'timeout'
  /** It is no text, or has no `<state_snapshot>`. */
  | 'no-snapshot'
  /** Its `<overall_goal>` or `<key_knowledge>` is missing or empty. */
  | 'incomplete'
  /** It has as many tokens as what it stands for, or more. */
  | 'not-smaller'
  /** It names a reference that no message has. */
  | 'unknown-reference'

/** Something that did not work. Nothing is lost by it: what it was about stays in the history. */
export type HistoryFailure =
  | { readonly step: 'store'; readonly index: number; readonly error: unknown }
  | { readonly step: 'summarize'; readonly index: number; readonly reason: SummaryRejection; readonly error?: unknown }

/** What became of a history. */
export interface HistoryOutcome<Conversation> {
  /** The conversation to go on with. Messages that were not changed are the very objects that came in. */
  readonly messages: Conversation
  /** What was done to it, in this order; nothing where it was within its limit, or nothing could be done. */
  readonly applied: readonly ('compact' | 'compress')[]
  readonly tokens: { readonly before: number; readonly after: number; readonly limit: number }
  /** Whether it is within its limit now. */
  readonly fits: boolean
  /** Where it does not fit, the messages that keep it from that, the largest first. */
  readonly obstacles: readonly HistoryObstacle[]
  /** One for each message that came in. */
  readonly statistics: readonly MessageStatistics[]
  /** How many messages at its start are as they came in: a prompt cache keeps these. */
  readonly unchanged: number
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

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
