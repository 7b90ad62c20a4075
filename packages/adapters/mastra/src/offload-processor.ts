import type { Processor } from '@mastra/core/processors'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { replaceToolResults, SmallTexts } from '@spillway/core/adapter'
import type { ModelOutput } from './model-output.ts'
import { OffloadRun } from './offload-run.ts'
import { offloadPart, offloadStored } from './offload-stored.ts'
import { retrievalTool, type RetrievalTool } from './retrieval-tool.ts'
import { perRun, scopedOffloader, type OffloadOptions, type RunContext } from './run-scope.ts'

type Hook = 'processInputStep' | 'processLLMRequest' | 'processToolResult' | 'processOutputResult'

/** A processor for `inputProcessors`, and for `outputProcessors` where nothing downstream is to have originals. */
export type OffloadProcessor = Processor<'spillway-offload'> &
  Required<Pick<Processor, Hook>> & {
    /** Return the tools that the processor brings along: Mastra asks for them before each run, and before a resumed one. */
    readonly getLoadedToolsForRequestContext: () => Record<string, RetrievalTool>
  }

/** What every hook is told. */
interface HookArgs extends RunContext {
  readonly state: object
  readonly abortSignal?: AbortSignal | undefined
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
 * import { Agent } from '@mastra/core/agent'
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadProcessor } from '@spillway/mastra'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const processor = offloadProcessor(new ContextOffloader({ storage: new InMemoryStorage() }))
 * const agent = new Agent({
 *   id: 'reader',
 *   name: 'reader',
 *   instructions: 'Read logs.',
 *   model: 'openai/gpt-5',
 *   inputProcessors: [processor],
 * })
 * const ask = (thread: string) => agent.generate('Why?', { memory: { thread, resource: 'user-1' } })
 * console.assert(typeof ask === 'function')
 * ```
 */
export function offloadProcessor(offloader: ContextOffloader, options: OffloadOptions = {}): OffloadProcessor {
  const offloaderOf = scopedOffloader(offloader, options, 'offloadProcessor(offloader, options)')
  const except = new Set(options.except)
  const small = new SmallTexts()
  const own = offloader.options.includeRetrievalTool ? { [RETRIEVAL_TOOL_NAME]: retrievalTool(offloader, options) } : {}
  const ofHook = perRun(
    ({ requestContext, messages }: HookArgs) =>
      new OffloadRun(offloaderOf({ requestContext, messages }), except, small),
  )

  function runOf(hook: HookArgs): OffloadRun {
    const run = ofHook(hook)
    run.signal = hook.abortSignal ?? run.signal
    return run
  }

  return {
    id: 'spillway-offload',
    getLoadedToolsForRequestContext: () => own,
    async processInputStep(step) {
      const run = runOf(step)
      run.tools = step.tools ?? {}
      run.beginStep()
      await run.offloader.endTurn()
      await offloadStored(step.messageList, run)
      // Another processor may have put others in the place of all tools.
      const isComplete = Object.keys(own).every((name) => name in run.tools)
      return isComplete ? undefined : { tools: { ...run.tools, ...own } }
    },
    async processLLMRequest(request) {
      const run = runOf(request)
      const prompt = await replaceToolResults(request.prompt, (result, input) => {
        const output = result.output as ModelOutput
        return small.has(output.value) ? output : run.show(result, input, output)
      })
      run.endPrompt()
      return { prompt }
    },
    async processToolResult(call) {
      const run = runOf(call)
      const { messageList, toolName, toolCallId, args, result } = call
      // What a tool maps itself the model sees as mapped, and the program as it is.
      if (call.providerExecuted === true || hasModelOutput(run.tools[toolName])) return undefined
      const toolInvocation = { state: 'result', toolName, toolCallId, args, result } as const
      const isReplaced = await offloadPart({ type: 'tool-invocation', toolInvocation }, messageList, run)
      return isReplaced ? messageList : undefined
    },
    async processOutputResult(end) {
      const run = runOf(end)
      // What no model call has followed: memory is to keep none of it either.
      if (run.signal?.aborted !== true) await offloadStored(end.messageList, run)
      return end.messageList
    },
  }
}

function hasModelOutput(tool: unknown): boolean {
  return typeof (Object(tool) as { readonly toModelOutput?: unknown }).toModelOutput === 'function'
}
