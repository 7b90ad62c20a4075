import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'
import { contentTypeEssence } from '@spillway/core/adapter'
import type { Connection, ConnectionHandlers } from '../proxy/connection.ts'
import {
  ERROR_CODE,
  errorOf,
  isRequest,
  isResponse,
  namesRevision,
  type Message,
  type RequestId,
} from '../relay/message.ts'
import { ExactNumbers } from './exact-numbers.ts'

/** A server that is reached over HTTP. */
export interface ServerUrl {
  readonly url: string
  /** Headers of every request, such as `Authorization`, but not of a redirected request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** `sse` for the transport of revision 2024-11-05. Defaults to `http`, which is streamable HTTP. */
  readonly type?: 'http' | 'sse' | undefined
}

interface OpenRequest {
  readonly controller: AbortController
  readonly isStateless: boolean
  /** Whether the answer may arrive after the HTTP response has begun. */
  isAnsweredLater: boolean
}

/** A connection over streamable HTTP, made with the transport of the MCP SDK. */
export class HttpConnection implements Connection {
  readonly #transport: Transport & { readonly terminateSession?: () => Promise<void> }
  readonly #isSse: boolean
  /** Requests without an answer so far. */
  readonly #open = new Map<RequestId, OpenRequest>()
  /** Whether the server has a stream for messages that answer no request. */
  #listens = false
  readonly #numbers = new ExactNumbers()
  readonly #thrown = new WeakSet<object>()
  #closed = false

  constructor({ url, headers, type = 'http' }: ServerUrl) {
    this.#isSse = type === 'sse'
    const requestInit: RequestInit = headers === undefined ? {} : { headers }
    const options = {
      requestInit,
      fetch: async (to: string | URL, init?: RequestInit) => this.#received(await fetch(to, init), init),
    }
    this.#transport =
      type === 'sse'
        ? new SSEClientTransport(new URL(url), options)
        : new StreamableHTTPClientTransport(new URL(url), options)
  }

  async start({ onMessage, onClose, onError }: ConnectionHandlers): Promise<void> {
    const close = (): void => {
      if (this.#closed) return
      this.#closed = true
      onClose('the connection closed')
    }
    Object.assign(this.#transport, {
      onmessage: (parsed: Message) => {
        const message = this.#numbers.reveal(parsed)
        if (isResponse(message)) this.#open.delete(message.id)
        onMessage(message)
      },
      onclose: close,
      // The SDK also throws errors of messages. The text is omitted, because it may quote the server's answer.
      onerror: (error: unknown) =>
        setImmediate(() => {
          if (!this.#thrown.has(Object(error)))
            onError(new Error(`HTTP: ${Object(error)?.constructor?.name ?? 'Error'}`))
        }),
    })
    await this.#transport.start()
    this.#onUnanswered = (id) =>
      onMessage(errorOf(id, ERROR_CODE.connectionClosed, 'The answer ended before its result.'))
  }

  #onUnanswered: (id: RequestId) => void = () => {}

  async send(message: Message): Promise<void> {
    if (message.method === 'notifications/cancelled' && this.#endStream(message)) return
    if (!isRequest(message)) return await this.#send(message)
    const { id } = message
    const controller = new AbortController()
    const open: OpenRequest = { controller, isStateless: namesRevision(message), isAnsweredLater: this.#isSse }
    this.#open.set(id, open)
    try {
      await this.#send(message, {
        requestSignal: controller.signal,
        onRequestStreamEnd: () => this.#ended(id),
      })
      if (!open.isAnsweredLater) this.#ended(id)
    } catch (error) {
      this.#open.delete(id)
      throw error
    }
  }

  async #send(message: Message, options?: TransportSendOptions): Promise<void> {
    try {
      await this.#transport.send(message as JSONRPCMessage, options)
    } catch (error) {
      this.#thrown.add(error as Error)
      throw error
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    try {
      await this.#transport.terminateSession?.()
    } catch (error) {
      // The server may be gone, or have no sessions.
      if (!(error instanceof Error)) throw error
    }
    await this.#transport.close()
  }

  agree(protocolVersion: string): void {
    this.#transport.setProtocolVersion?.(protocolVersion)
  }

  /** Answer a request with an error if its answer has ended without a result. */
  #ended(id: RequestId): void {
    if (this.#open.delete(id)) this.#onUnanswered(id)
  }

  #received(response: Response, init: RequestInit = {}): Response {
    const type = contentTypeEssence(response.headers.get('content-type') ?? '')
    const isEventStream = type === 'text/event-stream'
    if (init.method !== 'POST') this.#listens ||= response.ok && isEventStream
    else if (response.status === 202 ? this.#listens : isEventStream) {
      const open = this.#open.get((JSON.parse(init.body as string) as Message).id as RequestId)
      if (open !== undefined) open.isAnsweredLater = true
    }
    if (response.body === null || !response.ok || !(isEventStream || type === 'application/json')) return response
    return new Response(this.#numbers.markBody(response.body, { isEventStream }), response)
  }

  /** Since revision 2026-07-28, a client cancels a request by ending its stream. */
  #endStream({ params }: Message): boolean {
    const open = this.#open.get(params?.['requestId'] as RequestId)
    if (open?.isStateless !== true) return false
    this.#open.delete(params?.['requestId'] as RequestId)
    open.controller.abort()
    return true
  }
}
