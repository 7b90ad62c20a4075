import type { McpSdkServerConfigWithInstance, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { ContextOffloader } from '@spillway/core'
import { copyWith, offloadParts, readMcpPart, writeMcpPart } from '@spillway/core/adapter'
import type { SessionOfCall } from './session-of-call.ts'

type Server = McpSdkServerConfigWithInstance['instance']
type Transport = Parameters<Server['connect']>[0]
type Sent = Parameters<Transport['send']>
type Received = Parameters<NonNullable<Transport['onmessage']>>

/** Messages of JSON-RPC, as far as they are read here. */
interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> }
  readonly result?: { readonly isError?: boolean; readonly content?: readonly unknown[] }
}

/** What is done with an error result: the offloader of its session, or `undefined` where it has to stay. */
export type OffloaderOfCall = (call: PreToolUseHookInput) => ContextOffloader | undefined

/**
 * Return a server of this process whose error results are offloaded before Claude Code gets them. No hook may replace an
 * error, and Claude Code would cut the middle out of one with more than 10,000 characters.
 */
export function offloadServerErrors(
  server: McpSdkServerConfigWithInstance,
  sessions: SessionOfCall,
  offloaderOf: OffloaderOfCall,
): McpSdkServerConfigWithInstance {
  const { instance } = server
  const connect: Server['connect'] = (transport) =>
    instance.connect(new ErrorsTransport(transport, sessions, offloaderOf))
  return { ...server, instance: copyWith(instance, { connect }) }
}

/** Passes all on, but for error results that are too large. */
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
