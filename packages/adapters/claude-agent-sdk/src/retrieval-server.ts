import type { McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk'
import type { ContextOffloader } from '@spillway/core'
import { writeMcpPart } from '@spillway/core/adapter'
import { sessionOfCall, type SessionOfCall } from './session-of-call.ts'
import { sessionsOf, type OffloadSettings, type Sessions } from './settings.ts'

/** The largest number that Claude Code accepts. With this number, Claude Code never writes an answer into a file. */
const MAX_CHARACTERS = 500_000

export const SERVER_NAME = 'spillway'

/**
 * Make the MCP server `spillway` with the tool `retrieve_offloaded_content`, for queries with {@link offloadHooks} of
 * the same offloader.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { offloadHooks, retrievalServer } from '@spillway/claude-agent-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const mcpServers = { spillway: retrievalServer(offloader) }
 * const allowedTools = ['mcp__spillway__retrieve_offloaded_content']
 * const options = { hooks: offloadHooks(offloader), mcpServers, allowedTools } // query({ prompt, options })
 * console.assert(options.mcpServers.spillway.type === 'sdk')
 * ```
 */
export function retrievalServer(
  offloader: ContextOffloader,
  settings: Pick<OffloadSettings, 'scope'> = {},
): McpSdkServerConfigWithInstance {
  const sessions = sessionsOf(offloader, settings, 'retrievalServer(offloader, settings)')
  return serverOf(sessions, sessionOfCall(offloader))
}

export function serverOf(sessions: Sessions, calls: SessionOfCall): McpSdkServerConfigWithInstance {
  const { name, description, inputSchema } = sessions.retrievalTool
  return serveTool(SERVER_NAME, '1', {
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true, 'anthropic/maxResultSizeChars': MAX_CHARACTERS },
    async call(input, { toolUseId, signal }) {
      const session = calls.take(toolUseId)
      if (session === undefined) return { content: [{ type: 'text', text: NO_SESSION }], isError: true }
      const { content, isError } = await sessions.offloaderOf(session).retrievalTool.execute(input, { signal })
      return { content: content.map(writeMcpPart), isError }
    },
  })
}

const NO_SESSION =
  'Error: The session of this call is unknown, so nothing was read. The program must pass the hooks of ' +
  'offloadHooks(offloader) to the same query as retrievalServer(offloader).'

interface ServedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: object
  readonly annotations?: object
  readonly _meta?: object
  readonly call: (input: unknown, context: ServedCall) => Promise<object>
}

export interface ServedCall {
  /** Absent if the client does not pass it. */
  readonly toolUseId: string | undefined
  readonly signal: AbortSignal
}

/** The fields of a JSON-RPC message that are read. */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: unknown
    readonly protocolVersion?: string
    readonly requestId?: string | number
    readonly _meta?: Readonly<Record<string, unknown>>
  }
  readonly result?: { readonly isError?: boolean; readonly content?: readonly unknown[] }
}

interface Transport {
  start: () => Promise<void>
  send: (message: object) => Promise<void>
}

const METHOD_NOT_FOUND = -32_601
const INVALID_PARAMS = -32_602

/** Make an in-process server with one tool for any number of sessions: the SDK's own server serves one session. */
export function serveTool(serverName: string, version: string, tool: ServedTool): McpSdkServerConfigWithInstance {
  const instance = {
    async connect(transport: Transport): Promise<void> {
      const running = new Map<string | number | undefined, AbortController>()
      const onmessage = (message: Message): void => {
        if (message.method === 'notifications/cancelled') running.get(message.params?.requestId)?.abort()
        if (message.id !== undefined && message.method !== undefined) void answer(message, message.id)
      }
      const onclose = (): void => {
        for (const controller of running.values()) controller.abort()
      }
      const answer = async (message: Message, id: string | number): Promise<void> => {
        const controller = new AbortController()
        running.set(id, controller)
        const answered = await answerRequest(message, controller.signal)
        running.delete(id)
        if (!controller.signal.aborted) await transport.send({ jsonrpc: '2.0', id, ...answered })
      }
      await Object.assign(transport, { onmessage, onclose }).start()
    },
    async close(): Promise<void> {},
  }

  async function answerRequest({ method, params = {} }: Message, signal: AbortSignal): Promise<object> {
    const { call, ...definition } = tool
    switch (method) {
      case 'initialize': {
        const serverInfo = { name: serverName, version }
        return { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } }
      }
      case 'ping':
        return { result: {} }
      case 'tools/list':
        return { result: { tools: [definition] } }
      case 'tools/call': {
        if (params.name !== tool.name)
          return { error: { code: INVALID_PARAMS, message: `There is no tool ${params.name}. Call ${tool.name}.` } }
        const id = params._meta?.['claudecode/toolUseId']
        const toolUseId = typeof id === 'string' ? id : undefined
        return { result: await call(params.arguments, { toolUseId, signal }) }
      }
      default:
        return { error: { code: METHOD_NOT_FOUND, message: `There is no method ${method}.` } }
    }
  }

  // The SDK calls only `connect` of an `McpServer`.
  return { type: 'sdk', name: serverName, instance: instance as unknown as McpSdkServerConfigWithInstance['instance'] }
}
