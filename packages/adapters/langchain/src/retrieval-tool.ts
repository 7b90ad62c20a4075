import { ToolMessage } from '@langchain/core/messages'
import {
  tool,
  ToolInputParsingException,
  type StructuredToolInterface,
  type ToolRunnableConfig,
} from '@langchain/core/tools'
import type { ContextOffloader } from '@spillway/core'
import { blocksToContent } from './content-parts.ts'
import { resolveOptions, type OffloadOptions } from './options.ts'

interface CallConfig {
  readonly toolCall?: { readonly id?: string | undefined } | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Make the retrieval tool in the scope of its run. {@link offloadMiddleware} and {@link offloadTools} add it.
 *
 * An invalid call gets a message with the status `error` and advice. Without a tool call, it returns only the content.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { retrievalTool } from '@spillway/langchain'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const retrieve = retrievalTool(new ContextOffloader({ storage: new InMemoryStorage() }))
 * const answer = await retrieve.invoke({ type: 'tool_call', id: 'call_1', name: retrieve.name, args: { reference: 1 } })
 * console.assert(answer.status === 'error')
 * ```
 */
export function retrievalTool(offloader: ContextOffloader, options: OffloadOptions = {}): StructuredToolInterface {
  const runs = resolveOptions(offloader, options)
  // With the option `scope`, several runs may share a scope.
  const { name, description, inputSchema } = (options.scope === undefined ? runs : offloader).retrievalTool
  const answer = async (input: unknown, config: CallConfig): Promise<unknown> => {
    const { retrievalTool } = runs.offloaderOf(config)
    const { content, isError } = await retrievalTool.execute(input, { signal: config.signal })
    const id = config.toolCall?.id
    if (id === undefined) return blocksToContent(content)
    const status = isError ? 'error' : 'success'
    return new ToolMessage({ content: blocksToContent(content), tool_call_id: id, name, status })
  }
  const retrieval: StructuredToolInterface = tool(answer, { name, description, schema: { ...inputSchema } })
  const call = retrieval.call.bind(retrieval)
  // Invalid input reaches the tool, too, because the tool's advice is better than a validator's.
  retrieval.call = (async (input: unknown, config: CallConfig = {}) =>
    call(input as never, config as ToolRunnableConfig).catch((error: unknown) => {
      if (error instanceof ToolInputParsingException) return answer(input, config)
      throw error
    })) as typeof retrieval.call
  return retrieval
}
