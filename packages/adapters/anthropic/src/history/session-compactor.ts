import type { ContextOffloader } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'
import {
  anthropicMessages,
  HistoryCompactor,
  type AnthropicConversation,
  type RunHistoryOptions,
} from '@spillway/history'

/** What a request has of a conversation, of either API. */
export type Conversation = AnthropicConversation<object, string | object[]>

/** Whose history is kept small: the offloader of one session, or a compactor over one, which remembers it. */
export type HistorySession = ContextOffloader | HistoryCompactor<Conversation>

/** How a history is kept small; of no use beside a compactor, which has its own. */
export type SessionHistoryOptions = RunHistoryOptions<Conversation>

/** Return the compactor of a session. Refuses what is neither, and options that cannot work. */
export function sessionCompactor(
  session: HistorySession,
  options: SessionHistoryOptions,
  usage: string,
): HistoryCompactor<Conversation> {
  if (session instanceof HistoryCompactor) {
    if (Object.keys(options).length === 0) return session
    throw new TypeError(`The options of the history belong to the compactor: ${usage}.`)
  }
  assertOffloader(session, usage)
  return new HistoryCompactor({ ...options, offloader: session, format: anthropicMessages<object>() })
}
