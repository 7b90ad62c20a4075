import { BasePlugin, type LlmRequest } from '@google/adk'
import type { ContextOffloader } from '@spillway/core'
import {
  compactorOfRun,
  geminiContents,
  type GeminiConversation,
  type HistoryCompactor,
  type RunHistoryOptions,
} from '@spillway/history'
import { invocationsOf, type OffloadOptions } from '../run-scope.ts'

type Content = LlmRequest['contents'][number]
type Instruction = NonNullable<NonNullable<LlmRequest['config']>['systemInstruction']>
type Conversation = GeminiConversation<Content, Instruction>
type Given = Parameters<BasePlugin['beforeModelCallback']>[0]

/** Options of {@link historyPlugin}. */
export interface HistoryPluginOptions extends RunHistoryOptions<Conversation>, Pick<OffloadOptions, 'scope'> {}

/**
 * Make the plugin that keeps the requests of all agents of a `Runner` within a limit. Older tool results become
 * references, and older messages a summary if `summarize` is given.
 *
 * The events of a session do not change. If storing or summarizing fails, the request does not change either. Put this
 * plugin before `offloadPlugin`, which must be the last.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { InMemoryRunner, LlmAgent } from '@google/adk'
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadPlugin } from '@spillway/google-adk'
 * import { historyPlugin } from '@spillway/google-adk/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const plugins = [historyPlugin(offloader, { maxTotalTokens: 100_000 }), offloadPlugin(offloader)]
 * const agent = new LlmAgent({ name: 'assistant', model: 'gemini-2.5-pro' })
 * const runner = new InMemoryRunner({ appName: 'app', agent, plugins })
 * console.assert(runner.pluginManager.getPlugin('spillway_history') !== undefined)
 * ```
 */
export function historyPlugin(offloader: ContextOffloader, options: HistoryPluginOptions = {}): BasePlugin {
  return new HistoryPlugin(offloader, options)
}

class HistoryPlugin extends BasePlugin {
  readonly #compactorOf: (invocation: Given['callbackContext']['invocationContext']) => HistoryCompactor<Conversation>

  constructor(offloader: ContextOffloader, options: HistoryPluginOptions) {
    super('spillway_history')
    const check = { usage: 'historyPlugin(offloader, options)', others: 'any' } as const
    const { segmentsOf } = invocationsOf(offloader, options, check)
    const { scope: _scope, ...limits } = options
    const format = geminiContents<Content, Instruction>()
    this.#compactorOf = compactorOfRun(offloader, segmentsOf, { ...limits, format })
  }

  override async beforeModelCallback({ callbackContext, llmRequest }: Given): Promise<undefined> {
    const { invocationContext } = callbackContext
    const { contents, config } = llmRequest
    const systemInstruction = config?.systemInstruction
    const conversation = { ...(systemInstruction === undefined ? {} : { systemInstruction }), contents }
    const { abortSignal: signal } = invocationContext
    const { messages } = await this.#compactorOf(invocationContext).compact(conversation, { signal })
    if (messages === conversation) return undefined
    llmRequest.contents = messages.contents
    if (messages.systemInstruction !== undefined)
      llmRequest.config = { ...config, systemInstruction: messages.systemInstruction }
    return undefined
  }
}
