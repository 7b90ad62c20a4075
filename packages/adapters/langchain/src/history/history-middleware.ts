import type { ContextOffloader } from '@spillway/core'
import { compactorOfRun, offloaderArchive, type HistoryArchive } from '@spillway/history'
import { createMiddleware, type AgentMiddleware } from 'langchain'
import { offloaderOfRun, segmentsOfRun } from '../run-scope.ts'
import { assertHistoryOptions, type HistoryMiddlewareOptions } from './history-options.ts'
import { langchainMessages } from './langchain-messages.ts'
import { moveSnapshot, systemOf, withPrompt, type PromptRequest } from './system-prompt.ts'
import { updateOf } from './state-update.ts'

/**
 * Make the middleware that keeps the history of an agent made with `createAgent` or `createDeepAgent` within its limit:
 * older tool results become references, and with `summarize` older messages a summary in the system prompt.
 *
 * It works on prompts, and the state keeps the whole conversation; with `replaceIn: 'state'` it works on the messages of the
 * state, so that checkpoints stay small. What it stores goes to the scope of the run's `thread_id`, where the retrieval tool
 * of `offloadMiddleware` finds it. A failure of storage or of the model for summaries leaves messages as they are.
 *
 * Put it last, so that it sees prompts as the model gets them.
 *
 * @throws TypeError where the offloader or an option is not usable.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadMiddleware } from '@spillway/langchain'
 * import { historyMiddleware, summarizeWith } from '@spillway/langchain/history'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { createAgent, FakeToolCallingModel } from 'langchain'
 *
 * const model = new FakeToolCallingModel({}) // your model
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const history = historyMiddleware(offloader, { maxTotalTokens: 100_000, summarize: summarizeWith(model) })
 * const agent = createAgent({ model, tools: [], middleware: [offloadMiddleware(offloader), history] })
 * const { messages } = await agent.invoke({ messages: 'Hello' }, { configurable: { thread_id: 'thread-1' } })
 * console.assert(messages.length === 2)
 * ```
 */
export function historyMiddleware(
  offloader: ContextOffloader,
  options: HistoryMiddlewareOptions = {},
): AgentMiddleware<undefined, undefined, unknown> {
  const { scope, replaceIn = 'prompt', ...limits } = assertHistoryOptions(offloader, options)
  const format = langchainMessages()
  const compactorOf = compactorOfRun(offloader, segmentsOfRun(scope), { ...limits, format })
  const name = 'SpillwayHistory'
  if (replaceIn === 'prompt')
    return createMiddleware({
      name,
      wrapModelCall: async (request, handler) => {
        const prompt: PromptRequest = request
        const system = systemOf(prompt)
        const conversation = system === undefined ? prompt.messages : [system, ...prompt.messages]
        const { signal } = request.runtime
        const { messages } = await compactorOf(request.runtime).compact(conversation, { signal })
        return await handler(messages === conversation ? request : withPrompt(request, messages, system))
      },
    })
  const archiveOf = archiveOfRun(offloaderOfRun(offloader, scope))
  return createMiddleware({
    name,
    beforeModel: async ({ messages }, runtime) => {
      const outcome = await compactorOf(runtime).compact(messages, { signal: runtime.signal })
      return updateOf(messages, outcome.messages)
    },
    wrapModelCall: async (request, handler) => await handler(moveSnapshot(request, archiveOf(request.runtime))),
  })
}

const archiveOfRun =
  (offloaderOf: (runtime: unknown) => ContextOffloader) =>
  (runtime: unknown): HistoryArchive =>
    offloaderArchive(offloaderOf(runtime))
