import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, offloadParts, type RunOptions } from '@spillway/core/adapter'
import {
  AfterModelCallEvent,
  AfterToolCallEvent,
  BeforeToolCallEvent,
  TextBlock,
  ToolResultBlock,
  type HookableEvent,
  type HookableEventConstructor,
  type HookCallback,
  type Plugin,
  type ToolResultContent,
} from '@strands-agents/sdk'
import { blockToContent } from './block-to-content.ts'
import { contentToBlock } from './content-to-block.ts'
import { RetrievalTool } from './retrieval-tool.ts'
import { agentScope, type ScopeRun } from './run-scope.ts'

/** Strands takes the answer of a structured run out of the result of this tool. */
const STRUCTURED_OUTPUT_TOOL = 'strands_structured_output'

/** Behind hooks of the usual order: they see what the tool returned, and what they make of it is stored. */
const LAST = { order: 100 }

/** Options of {@link offloadPlugin}. The scope of a run defaults to the session and the id of its agent. */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/**
 * Make the plugin that keeps large tool results out of the context of agents, from an offloader of core.
 *
 * Results over the offloader's limit go to storage, errors too; those within it stay the very objects. It adds the retrieval
 * tool, and ends a turn of the scope with each model call that succeeds. The results of cancelled calls, of agents that a
 * call is delegated to and of structured runs stay, and attempts that are made again are not stored.
 *
 * @throws TypeError where the offloader or an option is not usable.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { offloadPlugin } from '@spillway/strands'
 * import { Agent } from '@strands-agents/sdk'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const agent = new Agent({ plugins: [offloadPlugin(offloader, { except: ['read_file'] })] })
 * await agent.initialize()
 * console.assert(agent.toolRegistry.get('retrieve_offloaded_content') !== undefined)
 * ```
 */
export function offloadPlugin(offloader: ContextOffloader, options: OffloadOptions = {}): Required<Plugin> {
  assertRunOptions(offloader, options, { usage: 'offloadPlugin(offloader, options)' })
  const offloaderOf = offloaderOfRun(offloader, options.scope ?? agentScope)
  const except = new Set([STRUCTURED_OUTPUT_TOOL, ...(options.except ?? [])])
  const tools = offloader.options.includeRetrievalTool ? [new RetrievalTool(offloader, offloaderOf)] : []
  return {
    name: 'spillway:context-offloader',
    getTools: () => tools,
    initAgent(agent) {
      // The types of older versions know of no order.
      const addHook = <Event extends HookableEvent>(
        ...hook: [type: HookableEventConstructor<Event>, callback: HookCallback<Event>]
      ): unknown => Reflect.apply(agent.addHook, agent, [...hook, LAST])
      // Only these events know of a cancelled call, once every hook has seen them.
      const begun = new Map<string, BeforeToolCallEvent>()
      addHook(BeforeToolCallEvent, (event) => void begun.set(event.toolUse.toolUseId, event))
      addHook(AfterToolCallEvent, async (event) => {
        const { name, toolUseId } = event.toolUse
        const isCancelled = Boolean(begun.get(toolUseId)?.cancel)
        begun.delete(toolUseId)
        if (except.has(name) || isTakenElsewhere(event)) return
        event.result = await offloadResult(offloaderOf(event), event, isCancelled)
      })
      addHook(AfterModelCallEvent, async (event) => {
        if (event.stopData !== undefined && event.retry !== true) await offloaderOf(event).endTurn()
      })
    },
  }
}

/** Whether no model gets to see the result: the call is made again, or what it answers is the agent's own answer. */
function isTakenElsewhere({ agent, retry, tool }: AfterToolCallEvent): boolean {
  const { delegate } = Object(tool) as { readonly delegate?: unknown }
  return delegate === true || (retry === true && !agent.cancelSignal.aborted)
}

/** Offload the content of a result, and keep all else of it. Returns the very result where it stays. */
async function offloadResult(
  offloader: ContextOffloader,
  { agent, toolUse, result }: AfterToolCallEvent,
  isCancelled: boolean,
): Promise<ToolResultBlock> {
  const { toolUseId, status, content, error } = result
  // Whatever the types say: tools may be of classes of their own.
  if (!Array.isArray(content)) return result
  const outcome = await offloadParts<ToolResultContent>(offloader, {
    toolName: toolUse.name,
    toolCallId: toolUse.toolUseId,
    input: toolUse.input,
    isError: status === 'error',
    isCancelled,
    signal: agent.cancelSignal,
    parts: content,
    toBlock: contentToBlock,
    fromText: (text) => new TextBlock(text),
    fromBlock: (block) => blockToContent(block, toolUse.toolUseId),
  })
  if (outcome.status === 'inline') return result
  return new ToolResultBlock({ toolUseId, status, content: [...outcome.parts], ...(error && { error }) })
}
