import type { ContextOffloader } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'
import {
  anthropicMessages,
  HistoryCompactor,
  type AnthropicConversation,
  type RunHistoryOptions,
} from '@spillway/history'

/** The conversation of a request, in either API. */
export type Conversation = AnthropicConversation<object, string | object[]>

/** The offloader of a session, or its compactor. */
export type HistorySession = ContextOffloader | HistoryCompactor<Conversation>

/** Options of a session's history. */
export type SessionHistoryOptions = RunHistoryOptions<Conversation>

export function sessionCompactor(
  session: HistorySession,
  options: SessionHistoryOptions,
  usage: string,
): HistoryCompactor<Conversation> {
  if (session instanceof HistoryCompactor) {
    if (Object.keys(options).length === 0) return session
    throw new TypeError(`Pass the history's options to the compactor: ${usage}.`)
  }
  assertOffloader(session, usage)
  return new HistoryCompactor({ ...options, offloader: session, format: anthropicMessages<object>() })
}
