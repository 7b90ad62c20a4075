import {
  anthropicMessages,
  HistoryCompactor,
  type AnthropicConversation,
  type RunHistoryOptions,
} from '@spillway/history'
import type { ContextOffloader } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'

/** The conversation of a request, in either API. */
export interface HistoryRequest {
  readonly messages: readonly object[]
  readonly system?: string | readonly object[] | undefined
}

/** Returns a request with smaller messages and system prompt, or the same object if it is within the limit. */
export type HistoryParams = <Params extends HistoryRequest>(
  params: Params,
  options?: { readonly signal?: AbortSignal | null | undefined },
) => Promise<Params>

/**
 * Make a function that keeps requests within a limit: older large results become references, and older messages a
 * summary if `summarize` is given.
 *
 * Pass all messages each time. The function does not change them. Make one function for each session, because it
 * remembers its changes. If storing or summarizing fails, the messages do not change.
 *
 * @throws TypeError for an invalid argument.
 *
 * @example
 * ```ts
 * import type Anthropic from '@anthropic-ai/sdk'
 * import { historyParams, summarizeWith } from '@spillway/anthropic/history'
 * import type { ContextOffloader } from '@spillway/core'
 *
 * export function open(client: Anthropic, session: ContextOffloader) {
 *   const keepSmall = historyParams(session, { summarize: summarizeWith(client, { model: 'claude-haiku-5' }) })
 *   return async (messages: Anthropic.MessageParam[]) =>
 *     client.messages.create(await keepSmall({ model: 'claude-opus-5', max_tokens: 1_024, messages }))
 * }
 * ```
 */
export function historyParams(session: HistorySession, options: SessionHistoryOptions = {}): HistoryParams {
  return paramsOf(sessionCompactor(session, options, 'historyParams(offloader, options)'))
}

export function paramsOf(compactor: HistoryCompactor<Conversation>): HistoryParams {
  return async (params, { signal } = {}) => {
    const { messages, system } = params
    const before = { ...(system !== undefined && { system }), messages } as Conversation
    const { messages: after } = await compactor.compact(before, { signal: signal ?? undefined })
    return after === before ? params : { ...params, ...after }
  }
}

/** The conversation of a request, in either API. */
type Conversation = AnthropicConversation<object, string | object[]>

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
