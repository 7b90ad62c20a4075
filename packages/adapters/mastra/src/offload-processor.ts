import type { Processor } from '@mastra/core/processors'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { offloadPart, offloadResponses } from './offload-part.ts'
import { offloadPrompt } from './offload-prompt.ts'
import { assertOptions, type OffloadOptions } from './options.ts'
import { retrievalTool, type RetrievalTool } from './retrieval-tool.ts'
import { RunOutputs } from './run-outputs.ts'
import { offloaderOfRun, type RunContext } from './run-scope.ts'

type Hook = 'processInputStep' | 'processLLMRequest' | 'processToolResult'

/** A processor for `inputProcessors`, and for `outputProcessors` where nothing downstream is to have originals. */
export type OffloadProcessor = Processor<'spillway-offload'> &
  Required<Pick<Processor, Hook>> & {
    /** Return the tools that the processor brings along: Mastra asks for them before each run, and before a resumed one. */
    readonly getLoadedToolsForRequestContext: () => Record<string, RetrievalTool>
  }

/** What is known of a run, from one of its steps to the next. */
interface Run {
  readonly outputs: RunOutputs
  readonly offloader: ContextOffloader
  tools?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Make the processor that keeps large tool results out of the context of a Mastra agent.
 *
 * In `inputProcessors` it makes sure that the model sees previews and references in the place of results over the limit,
 * of tool errors and of what `toModelOutput` makes, and that memory keeps these; the program still sees the originals in
 * streams and `toolResults`. It adds the retrieval tool, and ends a turn with each model call. The same object in
 * `outputProcessors`, too, replaces results as soon as there are any, so that the program sees what the model sees.
 *
 * What a memory thread stores no other thread can read. Results that providers make are left alone.
 *
 * @throws TypeError where the offloader or an option is not usable.
 *
 * @example
 * ```ts
 * ```
 */
export function offloadProcessor(offloader: ContextOffloader, options: OffloadOptions = {}): OffloadProcessor {
  assertOptions(offloader, options)
  const offloaderOf = offloaderOfRun(offloader, options.scope)
  const except = new Set(options.except)
  const own = offloader.options.includeRetrievalTool ? { [RETRIEVAL_TOOL_NAME]: retrievalTool(offloader, options) } : {}
  // Mastra gives all hooks of a run the same state.
  const runs = new WeakMap<object, Run>()

  function runOf(state: object, context: RunContext): Run {
    const known = runs.get(state)
    if (known !== undefined) return known
    const run = { outputs: new RunOutputs(except), offloader: offloaderOf(context) }
    runs.set(state, run)
    return run
  }

  return {
    id: 'spillway-offload',
    getLoadedToolsForRequestContext: () => own,
    async processInputStep({ messages, messageList, requestContext, tools, state, abortSignal: signal }) {
      const run = runOf(state, { requestContext, messages })
      run.tools = tools
      await run.offloader.endTurn()
      await offloadResponses({ ...run, messageList, signal })
      // Another processor may have put others in the place of all tools.
      const isComplete = Object.keys(own).every((name) => tools !== undefined && name in tools)
      return isComplete ? undefined : { tools: { ...tools, ...own } }
    },
    async processLLMRequest({ prompt, requestContext, state, abortSignal: signal }) {
      const { outputs, offloader } = runOf(state, { requestContext })
      const offloaded = await offloadPrompt(prompt, { outputs, offloader, signal })
      outputs.forgetFailed()
      return { prompt: offloaded }
    },
    async processToolResult({ messages, messageList, requestContext, state, abortSignal: signal, ...call }) {
      const { outputs, offloader, tools } = runOf(state, { requestContext, messages })
      const { toolName, toolCallId, args, result } = call
      // What a tool maps itself the model sees as mapped, and the program as it is.
      if (call.providerExecuted === true || hasModelOutput(tools?.[toolName])) return undefined
      const toolInvocation = { state: 'result', toolName, toolCallId, args, result } as const
      const part = { type: 'tool-invocation', toolInvocation } as const
      return (await offloadPart(part, { messageList, outputs, offloader, signal })) ? messageList : undefined
    },
  }
}

function hasModelOutput(tool: unknown): boolean {
  return typeof (Object(tool) as { readonly toModelOutput?: unknown }).toModelOutput === 'function'
}
