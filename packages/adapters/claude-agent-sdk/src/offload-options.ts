import type {
  HookCallbackMatcher,
  HookEvent,
  McpSdkServerConfigWithInstance,
  Options,
} from '@anthropic-ai/claude-agent-sdk'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { copyWith, offloadParts, readMcpPart, writeMcpPart } from '@spillway/core/adapter'
import { hooksOf } from './offload-hooks.ts'
import { SERVER_NAME, serverOf, type Message } from './retrieval-server.ts'
import { SessionOfCall } from './session-of-call.ts'
import { sessionsOf, type OffloadSettings, type Sessions } from './settings.ts'

/**
 * Return options of a query that offload large tool results, and offer the retrieval tool.
 *
 * Adds hooks, the MCP server `spillway`, permission for its tool, and the environment variable `MAX_MCP_OUTPUT_TOKENS`,
 * unless it is set. Errors of in-process MCP servers are offloaded, too. Your options do not change.
 *
 * @throws TypeError for an invalid offloader or setting, and if another MCP server is called `spillway`.
 *
 * @example
 * ```ts
 * import { offloadOptions } from '@spillway/claude-agent-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const options = offloadOptions({ model: 'claude-sonnet-5-5', allowedTools: ['Bash'] }, offloader)
 * console.assert(options.allowedTools?.at(-1) === 'mcp__spillway__retrieve_offloaded_content')
 * ```
 */
export function offloadOptions(options: Options, offloader: ContextOffloader, settings: OffloadSettings = {}): Options {
  const sessions = sessionsOf(offloader, settings, 'offloadOptions(options, offloader, settings)')
  const calls = new SessionOfCall()
  const mcpServers = mapValues(options.mcpServers ?? {}, (server) =>
    server.type === 'sdk' ? offloadServerErrors(server, sessions, calls) : server,
  )
  const offloading: Options = {
    ...options,
    hooks: joinHooks(options.hooks, hooksOf(sessions, calls)),
    mcpServers,
    env: liftLimits(options.env),
  }
  if (!offloader.options.includeRetrievalTool) return offloading
  if (Object.hasOwn(mcpServers, SERVER_NAME))
    throw new TypeError(`mcpServers already has a server named ${SERVER_NAME}. Rename that server.`)
  return {
    ...offloading,
    mcpServers: { ...mcpServers, [SERVER_NAME]: serverOf(sessions, calls) },
    allowedTools: [...(options.allowedTools ?? []), `mcp__${SERVER_NAME}__${RETRIEVAL_TOOL_NAME}`],
  }
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

type Hooks = Partial<Record<HookEvent, HookCallbackMatcher[]>>

function joinHooks(first: Hooks = {}, second: Hooks): Hooks {
  const joined: Hooks = { ...first }
  for (const [event, matchers] of Object.entries(second) as [HookEvent, HookCallbackMatcher[]][])
    joined[event] = [...(first[event] ?? []), ...matchers]
  return joined
}

type Server = McpSdkServerConfigWithInstance['instance']
type Transport = Parameters<Server['connect']>[0]
type ToolUseIds = Map<string | number | undefined, unknown>

/** Offload errors in the server, because no hook may replace an error, and Claude Code shortens long errors. */
function offloadServerErrors(
  server: McpSdkServerConfigWithInstance,
  sessions: Sessions,
  calls: SessionOfCall,
): McpSdkServerConfigWithInstance {
  const { instance } = server

  async function replaceError(message: Message, toolUseIds: ToolUseIds): Promise<Message> {
    const { id, result } = message
    const toolUseId = toolUseIds.get(id)
    toolUseIds.delete(id)
    if (result?.isError !== true || !Array.isArray(result.content) || typeof toolUseId !== 'string') return message
    const call = calls.take(toolUseId)
    if (call === undefined) return message
    const outcome = await offloadParts<unknown>(sessions.offloaderOf(call), {
      toolName: call.tool_name,
      toolCallId: toolUseId,
      input: call.tool_input,
      isError: true,
      parts: result.content,
      toBlock: readMcpPart,
      fromText: (text) => ({ type: 'text', text }),
      fromBlock: writeMcpPart,
    })
    return outcome.status === 'inline' ? message : { ...message, result: { ...result, content: outcome.parts } }
  }

  const connect: Server['connect'] = async (transport) => {
    const toolUseIds: ToolUseIds = new Map()
    const sendOn = transport.send.bind(transport)
    const send: Transport['send'] = async (message, options) =>
      sendOn((await replaceError(message as Message, toolUseIds)) as typeof message, options)
    await instance.connect(Object.assign(transport, { send }))
    const receive = transport.onmessage
    const onmessage: typeof receive = (...received) => {
      const { id, method, params } = received[0] as Message
      if (method === 'tools/call') toolUseIds.set(id, params?._meta?.['claudecode/toolUseId'])
      receive?.(...received)
    }
    Object.assign(transport, { onmessage })
  }
  return { ...server, instance: copyWith(instance, { connect }) }
}

/** A number that no result reaches. Claude Code removes larger MCP results before hooks run. */
const MAX_MCP_OUTPUT_TOKENS = '100000000'

function liftLimits<Value>(env?: Readonly<Record<string, Value>>): Record<string, Value | string | undefined> {
  return { MAX_MCP_OUTPUT_TOKENS, ...(env ?? process.env) }
}
