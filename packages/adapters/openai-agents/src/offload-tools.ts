import type { FunctionTool } from '@openai/agents'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { offloadGuardrail } from './offload-guardrail.ts'
import { retrievalTool, type RetrievalTool } from './retrieval-tool.ts'
import type { OffloadOptions } from './run-scope.ts'

/**
 * Return the tools of an agent with an output guardrail on each function, which puts a preview and a reference in the
 * place of a large text or JSON value, and the retrieval tool beside them.
 *
 * Functions are copied with all that the SDK knows them by, so approval, schema and callbacks stay; those passed in do not
 * change. Hosted tools, agents as tools and functions with an `outputSchema` come back as they are. Turns, sessions, and
 * results with several parts are up to {@link offloadRunner}.
 *
 * @throws TypeError where the offloader, an option or `tools` is not usable, or has the retrieval tool already.
 *
 * @example
 * ```ts
 * import { Agent, tool } from '@openai/agents'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { offloadTools } from '@spillway/openai-agents'
 * import { z } from 'zod'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const readLog = tool({ name: 'read_log', description: 'Read it.', parameters: z.object({}), execute: () => 'a line' })
 * const agent = new Agent({ name: 'Reader', tools: offloadTools([readLog], offloader) })
 * console.assert(agent.tools.map(({ name }) => name).join() === 'read_log,retrieve_offloaded_content')
 * ```
 */
export function offloadTools<const Tools extends readonly { readonly type: string }[]>(
  tools: Tools,
  offloader: ContextOffloader,
  options: OffloadOptions = {},
): [...Tools, ...RetrievalTool[]] {
  const guardrail = offloadGuardrail(offloader, options)
  if (!Array.isArray(tools)) throw new TypeError('tools must be an array of tools: offloadTools([readLog], offloader).')
  const wrapped = tools.map((tool: Partial<FunctionTool>) => {
    const { type, name = '', outputGuardrails = [] } = tool
    if (name === RETRIEVAL_TOOL_NAME)
      throw new TypeError(`tools has ${RETRIEVAL_TOOL_NAME} already. Pass tools that are not wrapped yet.`)
    // The SDK finds the agent behind a tool, which has `on`, by the very object; what has a schema must keep to it.
    const stays = type !== 'function' || 'on' in tool || 'outputSchema' in tool || options.except?.includes(name)
    if (stays === true) return tool
    const guarded = { outputGuardrails: [...outputGuardrails, guardrail] }
    const own = { ...Object.getOwnPropertyDescriptors(tool), ...Object.getOwnPropertyDescriptors(guarded) }
    return Object.create(Object.getPrototypeOf(tool) as object, own) as FunctionTool
  })
  const added = offloader.options.includeRetrievalTool ? [retrievalTool(offloader, options)] : []
  // Each tool is the one that was passed in, but for a guardrail.
  return [...wrapped, ...added] as unknown as [...Tools, ...RetrievalTool[]]
}
