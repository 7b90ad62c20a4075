import type { McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk'

/** A tool that an MCP server offers. */
export interface ServedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: object
  readonly annotations?: object
  readonly _meta?: object
  /** Answer a call with a tool result of the Model Context Protocol. */
  readonly call: (input: unknown, context: ServedCall) => Promise<object>
}

/** What a call carries beside its input. */
export interface ServedCall {
  /** The id that the model gave the call; `undefined` where the client does not tell it. */
  readonly toolUseId: string | undefined
  readonly signal: AbortSignal
}

/** A message of JSON-RPC, as far as it is read here. */
interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: unknown
    readonly protocolVersion?: string
    readonly requestId?: string | number
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

/** A connection of the SDK, as far as it is used here; it calls `onmessage` and `onclose` of it. */
interface Transport {
  start: () => Promise<void>
  send: (message: object) => Promise<void>
}

const METHOD_NOT_FOUND = -32_601
const INVALID_PARAMS = -32_602

/**
 * Make a server in this process that offers one tool, to any number of sessions at once.
 *
 * The server that the SDK makes takes a schema of Zod alone, refuses what does not fit it before the tool could give advice,
 * and serves one session; this one takes the JSON Schema as it is.
 */
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
        // Who asked has gone, or did not want it any more.
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

  // The SDK calls `connect` of it, and nothing else that an `McpServer` has.
  return { type: 'sdk', name: serverName, instance: instance as unknown as McpSdkServerConfigWithInstance['instance'] }
}
