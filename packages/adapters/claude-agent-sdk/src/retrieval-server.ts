import type { BaseHookInput, McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk'
import type { ContextOffloader, RetrievalResult } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, writeMcpPart } from '@spillway/core/adapter'
import { serveTool } from './serve-tool.ts'
import { sessionOfCall, type SessionOfCall } from './session-of-call.ts'
import { sessionScope, type OffloadSettings } from './settings.ts'

/** The answer is limited by the offloader: Claude Code need not put it into a file. 500,000 is the most that it takes. */
const MAX_CHARACTERS = 500_000

/** The name of the server, by which the model knows the tool as `mcp__spillway__retrieve_offloaded_content`. */
export const SERVER_NAME = 'spillway'

/**
 * Make the SDK MCP server with the tool `retrieve_offloaded_content`, for `mcpServers` of a query that
 * {@link offloadHooks} of the same offloader are part of: these tell it the session of each call.
 *
 * It may serve any number of queries at once. Register it as `spillway`.
 *
 * @throws TypeError where the offloader or an option is not usable.
 *
 * @example
 * ```ts
 * import type { Options } from '@anthropic-ai/claude-agent-sdk'
 * import { offloadHooks, retrievalServer } from '@spillway/claude-agent-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const options: Options = {
 *   hooks: offloadHooks(offloader),
 *   mcpServers: { spillway: retrievalServer(offloader) },
 *   allowedTools: ['mcp__spillway__retrieve_offloaded_content'],
 * }
 * console.assert(options.mcpServers !== undefined)
 * ```
 */
export function retrievalServer(
  offloader: ContextOffloader,
  settings: Pick<OffloadSettings, 'scope'> = {},
): McpSdkServerConfigWithInstance {
  assertRunOptions(offloader, settings, { usage: 'retrievalServer(offloader, settings)' })
  return serverOf(offloader, settings, sessionOfCall(offloader))
}

/** Make the server that finds the sessions of its calls in `sessions`. */
export function serverOf(
  offloader: ContextOffloader,
  { scope = sessionScope }: Pick<OffloadSettings, 'scope'>,
  sessions: SessionOfCall,
): McpSdkServerConfigWithInstance {
  const offloaderOf = offloaderOfRun<BaseHookInput>(offloader, scope)
  // In a scope of its own a session may search without a reference, and the model has to know.
  const { retrievalTool } = offloader.options.storage.scope ? offloader.forScope('session') : offloader
  const { name, description, inputSchema } = retrievalTool
  return serveTool(SERVER_NAME, '1', {
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true, 'anthropic/maxResultSizeChars': MAX_CHARACTERS },
    async call(input, { toolUseId, signal }) {
      const session = sessions.take(toolUseId)
      if (session === undefined) return errorResult(NO_SESSION)
      const { content, isError }: RetrievalResult = await offloaderOf(session).retrievalTool.execute(input, { signal })
      return { content: content.map(writeMcpPart), isError }
    },
  })
}

const NO_SESSION =
  'Error: This call belongs to no session that is known, so nothing was read. The program must pass the hooks of ' +
  'offloadHooks(offloader) to the same query as retrievalServer(offloader).'

function errorResult(text: string): object {
  return { content: [{ type: 'text', text }], isError: true }
}
