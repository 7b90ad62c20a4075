import type {
  HookCallbackMatcher,
  HookEvent,
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  Options,
  PreToolUseHookInput,
} from '@anthropic-ai/claude-agent-sdk'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import {
  assertRunOptions,
  copyWith,
  offloaderOfRun,
  offloadParts,
  readMcpPart,
  writeMcpPart,
} from '@spillway/core/adapter'
import { hooksOf } from './offload-hooks.ts'
import { SERVER_NAME, serverOf, type Message } from './retrieval-server.ts'
import { SessionOfCall } from './session-of-call.ts'
import { sessionScope, type OffloadSettings } from './settings.ts'

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
  assertRunOptions(offloader, settings, { usage: 'offloadOptions(options, offloader, settings)' })
  const sessions = new SessionOfCall()
  const { scope = sessionScope, except = [] } = settings
  const offloaderOf = offloaderOfRun(offloader, scope)
  const mcpServers = offloadErrors(options.mcpServers, sessions, (call) =>
    except.includes(call.tool_name) ? undefined : offloaderOf(call),
  )
  const offloading: Options = {
    ...options,
    hooks: joinHooks(options.hooks, hooksOf(offloader, settings, sessions)),
    mcpServers,
    env: liftLimits(options.env),
  }
  if (!offloader.options.includeRetrievalTool) return offloading
  if (Object.hasOwn(mcpServers, SERVER_NAME))
    throw new TypeError(`mcpServers has a server ${SERVER_NAME} already: give it another name.`)
  return {
    ...offloading,
    mcpServers: { ...mcpServers, [SERVER_NAME]: serverOf(offloader, settings, sessions) },
    allowedTools: [...(options.allowedTools ?? []), `mcp__${SERVER_NAME}__${RETRIEVAL_TOOL_NAME}`],
  }
}

type Servers = Readonly<Record<string, McpServerConfig>>

function offloadErrors(servers: Servers = {}, sessions: SessionOfCall, offloaderOf: OffloaderOfCall): Servers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      server.type === 'sdk' ? offloadServerErrors(server, sessions, offloaderOf) : server,
    ]),
  )
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
type Sent = Parameters<Transport['send']>
type Received = Parameters<NonNullable<Transport['onmessage']>>

type OffloaderOfCall = (call: PreToolUseHookInput) => ContextOffloader | undefined

/** No hook may replace an error, and Claude Code cuts the middle out of one with more than 10,000 characters. */
function offloadServerErrors(
  server: McpSdkServerConfigWithInstance,
  sessions: SessionOfCall,
  offloaderOf: OffloaderOfCall,
): McpSdkServerConfigWithInstance {
  const { instance } = server
  const connect: Server['connect'] = (transport) =>
    instance.connect(new ErrorsTransport(transport, sessions, offloaderOf))
  return { ...server, instance: copyWith(instance, { connect }) }
}

class ErrorsTransport implements Transport {
  onmessage?: (...received: Received) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #inner: Transport
  readonly #sessions: SessionOfCall
  readonly #offloaderOf: OffloaderOfCall
  readonly #toolUseIds = new Map<string | number | undefined, unknown>()

  constructor(inner: Transport, sessions: SessionOfCall, offloaderOf: OffloaderOfCall) {
    this.#inner = inner
    this.#sessions = sessions
    this.#offloaderOf = offloaderOf
  }

  async start(): Promise<void> {
    const onmessage = (...received: Received): void => {
      const { id, method, params } = received[0] as Message
      if (method === 'tools/call') this.#toolUseIds.set(id, params?._meta?.['claudecode/toolUseId'])
      this.onmessage?.(...received)
    }
    const onclose = (): void => this.onclose?.()
    const onerror = (error: Error): void => this.onerror?.(error)
    await Object.assign(this.#inner, { onmessage, onclose, onerror }).start()
  }

  async send(...[message, options]: Sent): Promise<void> {
    await this.#inner.send((await this.#replaced(message as Message)) as Sent[0], options)
  }

  async close(): Promise<void> {
    await this.#inner.close()
  }

  async #replaced(message: Message): Promise<Message> {
    const { id, result } = message
    const toolUseId = this.#toolUseIds.get(id)
    this.#toolUseIds.delete(id)
    if (result?.isError !== true || !Array.isArray(result.content) || typeof toolUseId !== 'string') return message
    const call = this.#sessions.take(toolUseId)
    const offloader = call && this.#offloaderOf(call)
    if (call === undefined || offloader === undefined) return message
    const outcome = await offloadParts<unknown>(offloader, {
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
}

/** Claude Code removes larger MCP results before hooks run; no result is as large as this. */
const MAX_MCP_OUTPUT_TOKENS = '100000000'

function liftLimits<Value>(env?: Readonly<Record<string, Value>>): Record<string, Value | string | undefined> {
  return { MAX_MCP_OUTPUT_TOKENS, ...(env ?? process.env) }
}
