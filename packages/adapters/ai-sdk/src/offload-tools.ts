import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'
import type { ToolSet } from 'ai'
import { retrievalTool, type RetrievalToolEntry } from './retrieval-tool.ts'
import { OFFLOADER, wrapTool, type AnyTool } from './wrap-tool.ts'

/**
 * A tool set and the retrieval tool beside it.
 *
 * The retrieval tool is absent at run time where the offloader has `includeRetrievalTool: false`.
 */
export type OffloadedTools<TOOLS extends ToolSet> = TOOLS & { [RETRIEVAL_TOOL_NAME]: RetrievalToolEntry }

/**
 * Wrap tools so that the model sees a preview and references in place of large results, and add the retrieval tool.
 *
 * Everything else about the tools stays: types, schemas, approval, callbacks, and the raw output that a user interface
 * and `steps` get. Messages of the thrown are offloaded too. Tools that the provider runs are left alone. The tools that
 * are passed in do not change, and wrapping what is wrapped for the same offloader changes nothing.
 *
 * @param offloader - That of one session: `offloader.forScope(tenant, session)`.
 * @throws TypeError where a tool has the name of the retrieval tool, or is wrapped for another offloader.
 *
 * @example
 * ```ts
 * import { offloadTools } from '@spillway/ai-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { tool } from 'ai'
 * import { z } from 'zod'
 *
 * const readLog = tool({ inputSchema: z.object({}), execute: async () => 'a line of a log\n'.repeat(5_000) })
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const tools = offloadTools({ readLog }, offloader.forScope('tenant-1', 'session-1'))
 * console.assert(Object.keys(tools).join() === 'readLog,retrieve_offloaded_content')
 *
 * const output = 'a line of a log\n'.repeat(5_000) // which steps and a user interface still get
 * const shown = await tools.readLog.toModelOutput?.({ toolCallId: 'call_1', input: {}, output })
 * console.assert(shown?.type === 'text' && shown.value.startsWith('[Offloaded: 1 block'))
 * ```
 */
export function offloadTools<TOOLS extends ToolSet>(tools: TOOLS, offloader: ContextOffloader): OffloadedTools<TOOLS> {
  if (typeof tools !== 'object' || tools === null) {
    throw new TypeError(`tools must be an object of tools by name, got ${tools === null ? 'null' : typeof tools}.`)
  }
  assertOffloader(offloader, 'offloadTools(tools, new ContextOffloader({ storage }))')
  const entries = Object.entries(tools).map(([name, tool]) => [name, offloadTool(name, tool as AnyTool, offloader)])
  const wrapped = Object.fromEntries(entries) as OffloadedTools<TOOLS>
  if (offloader.options.includeRetrievalTool) {
    Object.assign(wrapped, { [RETRIEVAL_TOOL_NAME]: retrievalTool(offloader) })
  }
  return wrapped
}

function offloadTool(name: string, tool: AnyTool, offloader: ContextOffloader): AnyTool {
  if (name === RETRIEVAL_TOOL_NAME) {
    if (tool === (retrievalTool(offloader) as object)) return tool
    throw new TypeError(
      `tools has a tool named ${RETRIEVAL_TOOL_NAME}, the name of the retrieval tool. Rename it; where it comes from ` +
        'offloadTools or retrievalTool with another offloader, start from your own tools in each session.',
    )
  }
  // What is no tool the SDK is to refuse in its own words.
  if (typeof tool !== 'object' || tool === null) return tool
  const wrappedFor = tool[OFFLOADER]
  if (wrappedFor === offloader || isProviderExecuted(tool)) return tool
  if (wrappedFor !== undefined) {
    throw new TypeError(
      `tools.${name} is wrapped for another offloader, whose references the retrieval tool of this one cannot read. ` +
        'Start from your own tools in each session.',
    )
  }
  return wrapTool(name, tool, offloader)
}

/** Version 6 has no flag: there a provider tool without a function of its own is taken for one that the provider runs. */
function isProviderExecuted({ type, isProviderExecuted, execute }: AnyTool): boolean {
  return type === 'provider' && (isProviderExecuted ?? execute === undefined)
}
