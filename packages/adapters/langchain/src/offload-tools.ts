import { ToolMessage } from '@langchain/core/messages'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { callResolved, nameTaken, takesReferences } from '@spillway/core/adapter'
import { isCommand, offloadCall, type ToolCall } from './offload-call.ts'
import { resolveOptions, type OffloadOptions } from './options.ts'
import { retrievalTool } from './retrieval-tool.ts'

/** A tool with `invoke`. Tools that the provider runs have no `invoke`. */
interface Invokable {
  readonly name: string
  readonly returnDirect?: boolean | undefined
  readonly invoke: (input: unknown, config?: CallConfig) => Promise<unknown>
}

interface CallConfig {
  readonly toolCall?: ToolCall | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Make tools for a `ToolNode` of LangGraph whose large results are stored, and add the retrieval tool.
 *
 * The tools passed in do not change. Results of calls with plain arguments, and of tools with `returnDirect`, are not
 * offloaded. Call `endTurn()` on the offloader of the scope in the model's node.
 *
 * @throws TypeError for an invalid offloader, option or `tools`, and if `tools` has the retrieval tool already.
 *
 * @example
 * ```ts
 * import { tool } from '@langchain/core/tools'
 * import { ToolNode } from '@langchain/langgraph/prebuilt'
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadTools } from '@spillway/langchain'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const readLog = tool(() => 'a line of a log\n'.repeat(5_000), { name: 'read_log', description: 'Read the log.' })
 * const tools = offloadTools([readLog], new ContextOffloader({ storage: new InMemoryStorage() }))
 * const node = new ToolNode(tools)
 * console.assert(node.tools.length === 2)
 * ```
 */
export function offloadTools<const Tools extends readonly object[]>(
  tools: Tools,
  offloader: ContextOffloader,
  options: OffloadOptions = {},
): [...Tools, ...StructuredToolInterface[]] {
  const { offloaderOf } = resolveOptions(offloader, options)
  if (!Array.isArray(tools)) throw new TypeError('tools must be an array of LangChain tools.')
  if (tools.some((tool: Partial<Invokable>) => tool.name === RETRIEVAL_TOOL_NAME)) throw nameTaken()
  const wrapped = tools.map((tool: Partial<Invokable>) => {
    // The graph ends with this result: no model reads it.
    const isLeft = tool.returnDirect === true
    const isSame = typeof tool.invoke !== 'function' || (isLeft && !takesReferences(offloader, tool.name ?? ''))
    return isSame ? tool : wrapTool(tool as Invokable, offloaderOf, isLeft)
  })
  const added = offloader.options.includeRetrievalTool ? [retrievalTool(offloader, options)] : []
  return [...wrapped, ...added] as unknown as [...Tools, ...StructuredToolInterface[]]
}

function wrapTool(tool: Invokable, offloaderOf: (config: unknown) => ContextOffloader, isLeft: boolean): Invokable {
  const invoke = async (input: unknown, config?: CallConfig): Promise<unknown> => {
    const { signal } = config ?? {}
    const toolCall = isToolCall(input) ? input : config?.toolCall
    if (toolCall === undefined) return tool.invoke(input, config)
    const offloader = offloaderOf(config)
    const call = { toolName: tool.name, toolCallId: toolCall.id, input: toolCall.args, signal }
    const run = async (): Promise<unknown> =>
      callResolved(offloader, call, (args) =>
        tool.invoke(args === toolCall.args ? input : isToolCall(input) ? { ...input, args } : args, config),
      )
    if (isLeft) return run()
    return offloadCall(offloader, toolCall, signal, async () => {
      const result = await run()
      return ToolMessage.isInstance(result) || isCommand(result) ? result : toMessage(result, tool.name, toolCall)
    })
  }
  return Object.create(tool, { invoke: { value: invoke, writable: true, configurable: true } }) as Invokable
}

/** The message that a `ToolNode` writes for the result of a runnable. */
function toMessage(result: unknown, name: string, { id = '' }: ToolCall): ToolMessage {
  const content = typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
  return new ToolMessage({ content, name, tool_call_id: id, status: 'success' })
}

function isToolCall(input: unknown): input is ToolCall {
  return typeof input === 'object' && input !== null && 'type' in input && input.type === 'tool_call'
}
