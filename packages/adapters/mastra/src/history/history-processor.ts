import type { Processor } from '@mastra/core/processors'
import type { ContextOffloader } from '@spillway/core'
import { mcpModelOutput } from '@spillway/core/adapter'
import {
  aiSdkMessages,
  compactorOfRun,
  type HistoryCompactor,
  type HistoryFormat,
  type HistoryMessage,
  type HistoryPart,
  type RunHistoryOptions,
} from '@spillway/history'
import { asRead } from '@spillway/history/format'
import { perRun, threadRuns, type OffloadOptions, type RunContext } from '../run-scope.ts'

type Hook = 'processInputStep' | 'processLLMRequest'
type Prompt = Parameters<NonNullable<Processor['processLLMRequest']>>[0]['prompt']

/** A processor for `inputProcessors`. */
export type HistoryProcessor = Processor<'spillway-history'> & Required<Pick<Processor, Hook>>

/** Options of {@link historyProcessor}. */
export interface HistoryProcessorOptions extends RunHistoryOptions<Prompt[number][]>, Pick<OffloadOptions, 'scope'> {}

/**
 * Make the processor that keeps the history of an agent within its limit: older tool results become references, and
 * older messages a summary if `summarize` is given.
 *
 * Messages and memory do not change. If storing or summarizing fails, the prompt does not change either. Put this
 * processor last in `inputProcessors`, so that it sees prompts as the model gets them.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadProcessor } from '@spillway/mastra'
 * import { historyProcessor } from '@spillway/mastra/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const history = historyProcessor(offloader, { maxTotalTokens: 100_000 })
 * const inputProcessors = [offloadProcessor(offloader), history] // new Agent({ …, inputProcessors })
 * console.assert(inputProcessors.length === 2)
 * ```
 */
export function historyProcessor(offloader: ContextOffloader, options: HistoryProcessorOptions = {}): HistoryProcessor {
  const check = { usage: 'historyProcessor(offloader, options)', others: 'any' } as const
  const { segmentsOf } = threadRuns(offloader, options, check)
  const { scope: _scope, ...limits } = options
  const format = mastraPrompt<Prompt[number]>()
  // Mastra passes the messages, which name the thread, only to the first hook of a run.
  const compactorOf = perRun<RunContext & { readonly state: object }, HistoryCompactor<Prompt[number][]>>(
    compactorOfRun(offloader, segmentsOf, { ...limits, format }),
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

/** The format of Mastra's prompts. An error of an MCP server is JSON with a mark, so such JSON is read as an error. */
function mastraPrompt<Message extends object>(): HistoryFormat<Message[]> {
  const format = aiSdkMessages<Message>()
  return { ...format, read: (prompt) => format.read(prompt).map(withErrors) }
}

function withErrors(message: HistoryMessage): HistoryMessage {
  if (message.role !== 'tool') return message
  const parts = message.parts.map(withError)
  return parts.every((part, at) => part === message.parts[at]) ? message : asRead({ ...message, parts })
}

function withError(part: HistoryPart): HistoryPart {
  if (part.type !== 'tool-result' || part.isError === true) return part
  const [only] = part.content
  if (part.content.length !== 1 || only?.type !== 'json' || !isMarked(only.value)) return part
  return mcpModelOutput(only.value, 'media')?.type === 'error-text' ? asRead({ ...part, isError: true }) : part
}

const isMarked = (value: unknown): boolean => (Object(value) as { readonly isError?: unknown }).isError === true
