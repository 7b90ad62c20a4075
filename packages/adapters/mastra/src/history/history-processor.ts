import type { Processor } from '@mastra/core/processors'
import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions } from '@spillway/core/adapter'
import { compactorOfRun, type HistoryCompactor, type RunHistoryOptions } from '@spillway/history'
import { perRun, segmentsOfRun, type OffloadOptions, type RunContext } from '../run-scope.ts'
import { mastraPrompt } from './mastra-prompt.ts'

type Hook = 'processInputStep' | 'processLLMRequest'
type Prompt = Parameters<NonNullable<Processor['processLLMRequest']>>[0]['prompt']

/** A processor for `inputProcessors`. */
export type HistoryProcessor = Processor<'spillway-history'> & Required<Pick<Processor, Hook>>

/** Options of {@link historyProcessor}, beside the limits that every history has. */
export interface HistoryProcessorOptions extends RunHistoryOptions<Prompt[number][]>, Pick<OffloadOptions, 'scope'> {}

/**
 * Make the processor that keeps the history of a Mastra agent within its limit: older tool results become references, and
 * with `summarize` older messages a summary at the end of the instructions.
 *
 * It works on the prompt of each model call. Messages and memory stay whole, and it goes on with what it made of them
 * before. What it stores goes to the scope of the run's memory thread, where the retrieval tool of `offloadProcessor` finds
 * it. A failure of storage or of the model for summaries leaves messages as they are.
 *
 * Put it last in `inputProcessors`, so that it sees prompts as the model gets them.
 *
 * @throws TypeError where the offloader or an option is not usable.
 *
 * @example
 * ```ts
 * import { Agent } from '@mastra/core/agent'
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadProcessor } from '@spillway/mastra'
 * import { historyProcessor, summarizeWith } from '@spillway/mastra/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const history = historyProcessor(offloader, { maxTotalTokens: 100_000, summarize: summarizeWith('openai/gpt-5-mini') })
 * const agent = new Agent({
 *   id: 'reader',
 *   name: 'reader',
 *   instructions: 'Read logs.',
 *   model: 'openai/gpt-5',
 *   inputProcessors: [offloadProcessor(offloader), history],
 * })
 * console.assert(agent.id === 'reader')
 * ```
 */
export function historyProcessor(offloader: ContextOffloader, options: HistoryProcessorOptions = {}): HistoryProcessor {
  const { scope, ...limits } = Object(options) as HistoryProcessorOptions
  const own = typeof options === 'object' && options !== null ? { scope } : options
  assertRunOptions(offloader, own, { usage: 'historyProcessor(offloader, options)' })
  const format = mastraPrompt<Prompt[number]>()
  // The messages, which name the thread, Mastra gives to the first hook of a run alone.
  const compactorOf = perRun<RunContext & { readonly state: object }, HistoryCompactor<Prompt[number][]>>(
    compactorOfRun(offloader, segmentsOfRun(scope), { ...limits, format }),
  )
  return {
    id: 'spillway-history',
    processInputStep(step) {
      compactorOf(step)
    },
    async processLLMRequest(request) {
      const { messages: prompt } = await compactorOf(request).compact(request.prompt, { signal: request.abortSignal })
      return { prompt }
    },
  }
}
