import type { AgentOptions, Tool, Toolkit } from '@voltagent/core'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { nameTaken, takesReferences } from '@spillway/core/adapter'
import { resolveOptions, type OffloadOptions } from './offload-options.ts'
import { retrievalTool } from './retrieval-tool.ts'
import { resolveInTool, wrapTool, type UserTool } from './wrap-tool.ts'

/** A tool of an agent: a tool of VoltAgent, a toolkit, or a provider's tool. */
export type AnyTool = Extract<AgentOptions['tools'], readonly unknown[]>[number]

/**
 * Wrap the tools of an agent so that the model gets previews and references for large results and errors, and add the
 * retrieval tool.
 *
 * The program still gets the original output. The tools passed in do not change, and toolkits are wrapped tool by tool.
 * Give the agent {@link offloadHooks}, too.
 *
 * @throws TypeError for an invalid offloader, option or `tools`, and if `tools` has the retrieval tool already.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadTools } from '@spillway/voltagent'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { createTool } from '@voltagent/core'
 * import { z } from 'zod'
 *
 * const execute = async () => 'a line of a log\n'.repeat(5_000)
 * const readLog = createTool({ name: 'read_log', description: 'Read the log.', parameters: z.object({}), execute })
 * const tools = offloadTools([readLog], new ContextOffloader({ storage: new InMemoryStorage() }))
 * console.assert(tools.map(({ name }) => name).join() === 'read_log,retrieve_offloaded_content')
 * ```
 */
export function offloadTools<const TOOLS extends readonly AnyTool[]>(
  tools: TOOLS,
  offloader: ContextOffloader,
  options: OffloadOptions = {},
): [...TOOLS, ...Tool[]] {
  const settings = resolveOptions(offloader, options, { usage: 'offloadTools(tools, offloader, options)' })
  if (!Array.isArray(tools)) throw new TypeError('tools must be an array of tools and toolkits of VoltAgent.')
  const wrap = (tool: AnyTool): AnyTool => {
    // VoltAgent itself reports an invalid tool.
    const { name, type, tools: members } = Object(tool) as Partial<Tool & Toolkit>
    if (Array.isArray(members)) return { ...(tool as Toolkit), tools: members.map(wrap) as Toolkit['tools'] }
    if (name === RETRIEVAL_TOOL_NAME) throw nameTaken()
    if (type !== 'user-defined' || name === undefined) return tool
    const own = tool as unknown as UserTool
    const resolving = takesReferences(offloader, name) ? resolveInTool(own, settings.offloaderOf) : own
    return wrapTool(resolving, settings.offloaderOf) as unknown as Tool
  }

  const added = offloader.options.includeRetrievalTool ? [retrievalTool(offloader, options)] : []
  return [...tools.map(wrap), ...added] as unknown as [...TOOLS, ...Tool[]]
}
