import Anthropic from '@anthropic-ai/sdk'
import type { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'
import { blockToPart, type ResultPart } from './result-part.ts'

/** The retrieval tool, for a tool runner and for `tools` of any request. */
export interface RetrievalTool extends Anthropic.Tool {
  name: typeof RETRIEVAL_TOOL_NAME
  /** Answer a call. Rejects with a `ToolError` that tells the model what to do instead. */
  run: (input: unknown, context?: { signal?: AbortSignal | null | undefined }) => Promise<string | ResultPart[]>
  /** Returns the input unchanged, because `run` answers an invalid input with advice. */
  parse: (input: unknown) => unknown
}

/**
 * Make the tool `retrieve_offloaded_content` of an offloader.
 *
 * @throws TypeError for an invalid offloader.
 *
 * @example
 * ```ts
 * import type Anthropic from '@anthropic-ai/sdk'
 * import { retrievalTool } from '@spillway/anthropic'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const tools: Anthropic.Tool[] = [retrievalTool(new ContextOffloader({ storage: new InMemoryStorage() }))]
 * console.assert(tools[0]?.name === 'retrieve_offloaded_content')
 * ```
 */
export function retrievalTool(offloader: ContextOffloader): RetrievalTool {
  assertOffloader(offloader, 'retrievalTool(new ContextOffloader({ storage }))')
  const { name, description, inputSchema, execute } = offloader.retrievalTool
  return {
    type: 'custom',
    name,
    description,
    // The SDK's type has mutable arrays.
    input_schema: inputSchema as Anthropic.Tool.InputSchema,
    async run(input, context) {
      const { content, isError } = await execute(input, { signal: context?.signal ?? undefined })
      const parts = content.map(blockToPart)
      const answer = parts.length === 1 && parts[0]?.type === 'text' ? parts[0].text : parts
      if (isError) throw new Anthropic.Beta.Messages.ToolError(answer)
      return answer
    },
    parse: (input) => input,
  }
}
