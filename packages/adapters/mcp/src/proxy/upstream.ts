import {
  ERROR_CODE,
  errorOf,
  fieldsOf,
  isRequest,
  isResponse,
  repairResponse,
  type Message,
  type Request,
  type RequestId,
} from '../relay/message.ts'
import type { Connection, ConnectionHandlers } from './connection.ts'

const GREETING_MS = 60_000
/** Status codes for a lost session. Some servers answer 400 instead of 404, but 400 can also mean other errors. */
const SESSION_LOST: readonly unknown[] = [404, 400]
/** Reads the status from the message, because the SDK's SSE transport has no status field. */
const POST_FAILED = /^Error POSTing to endpoint \(HTTP (\d{3})\)/

/** An event of a server, for logs. Events contain no content, argument, header or variable. */
export type UpstreamEvent =
  | { readonly type: 'server-ended'; readonly server: string; readonly reason: string; readonly unanswered: number }
  | {
      /** The server's error meant, or could mean, a lost session, so the session was initialized again. */
      readonly type: 'session-renewed'
      readonly server: string
    }
  | { readonly type: 'server-error'; readonly server: string; readonly message: string }

/** The server behind a proxy. */
export interface ProxiedServer {
  /** The name used in messages and events. */
  readonly name: string
  /** Makes a connection that is not started. Called again for a new session. */
  readonly open: () => Connection
  readonly onEvent?: ((event: UpstreamEvent) => void) | undefined
}

/** Create the connection to a server. If the server ends, requests get errors. A lost HTTP session is renewed. */
export const openServer = (server: ProxiedServer): Connection => new Upstream(server)

/** The connection to one server. If the server exits, open requests are answered with an error. */
export class Upstream implements Connection {
  readonly #options: ProxiedServer
  readonly #pending = new Map<RequestId, { readonly method: string; connection?: Connection | undefined }>()
  /** Requests of the server without an answer. */
  readonly #asked = new Set<RequestId>()
  /** The client's `initialize` request, until it is answered. */
  #offered: Message | undefined
  /** Messages to repeat to a new server: the handshake, the log level, the subscriptions. */
  readonly #greeting = new Map<string, Message>()
  #handlers: ConnectionHandlers | undefined
  #connection: Connection | undefined
  /** The request that initializes a new session. */
  #greeted: { readonly id: RequestId; readonly settle: PromiseWithResolvers<Message> } | undefined
  /** Set while a new session replaces a lost session. */
  #renewal: Promise<void> | undefined
  /** Connections of former sessions. Each connection is closed when its requests are answered. */
  readonly #former = new Set<Connection>()
  #greetings = 0
  #closed = false

  constructor(options: ProxiedServer) {
    this.#options = options
  }

  async start(handlers: ConnectionHandlers): Promise<void> {
    this.#handlers = handlers
    await this.#connect()
  }

  async send(message: Message, options?: unknown): Promise<void> {
    if (this.#closed) {
      if (isRequest(message)) this.#answerEnded(message.id)
      return
    }
    if (isResponse(message) && !this.#asked.delete(message.id)) return
    this.#rememberGreeting(message)
    // A canceled request gets no answer, and must not be remembered forever.
    if (message.method === 'notifications/cancelled') this.#pending.delete(message.params?.['requestId'] as RequestId)
    if (isRequest(message)) this.#pending.set(message.id, { method: message.method })
    this.#closeFormer()
    await this.#forward(message, options)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.all([this.#connection, ...this.#former].map(async (connection) => connection?.close()))
    this.#handlers?.onClose('closed')
  }

  async #connect(): Promise<void> {
    const connection = await this.#open()
    // The proxy was closed while this connection started, and no other code knows the connection.
    if (this.#closed) await connection.close()
    else this.#connection = connection
  }

  async #open(): Promise<Connection> {
    const connection = this.#options.open()
    await connection.start({
      onMessage: (message, extra) => this.#receive(message, extra),
      onClose: (reason) => {
        if (connection === this.#connection) this.#lost(reason)
      },
      onError: ({ message }) => this.#tell({ type: 'server-error', server: this.#options.name, message }),
    })
    return connection
  }

  async #forward(message: Message, options: unknown): Promise<void> {
    const connection = this.#connection
    try {
      await this.#sendOver(connection, message, options)
    } catch (error) {
      const isGreeted = this.#greeting.has('initialize') && message.method !== 'initialize'
      if (connection === undefined || !isGreeted || !SESSION_LOST.includes(statusOf(error)))
        return this.#refuse(message, describe(error))
      try {
        if (connection === this.#connection) await (this.#renewal ??= this.#renew(connection))
        await this.#sendOver(this.#connection, message, options)
      } catch (again) {
        this.#refuse(message, `the session was lost, and a new one did not help: ${describe(again)}`)
      }
    }
  }

  async #sendOver(connection: Connection | undefined, message: Message, options: unknown): Promise<void> {
    if (connection === undefined) throw new Error('it has ended')
    const pending = isRequest(message) ? this.#pending.get(message.id) : undefined
    if (pending !== undefined) pending.connection = connection
    await connection.send(message, options)
  }

  /** Answer a message that failed with an error, so that its client does not wait forever. */
  #refuse(message: Message, reason: string): void {
    const { name } = this.#options
    this.#tell({ type: 'server-error', server: name, message: reason })
    if (isRequest(message) && this.#pending.delete(message.id))
      this.#answerEnded(message.id, `MCP server ${name}: ${reason}`)
  }

  /** Rejects if the server does not answer. */
  async #renew(former: Connection): Promise<void> {
    let fresh: Connection | undefined
    try {
      fresh = await this.#open()
      await this.#greet(fresh)
    } catch (error) {
      void fresh?.close()
      throw error
    } finally {
      this.#renewal = undefined
    }
    if (this.#closed) return void fresh.close()
    this.#connection = fresh
    // If the 400 had another reason, the former session still answers other requests.
    this.#former.add(former)
    this.#closeFormer()
    this.#tell({ type: 'session-renewed', server: this.#options.name })
  }

  #closeFormer(): void {
    for (const former of this.#former) {
      if ([...this.#pending.values()].some(({ connection }) => connection === former)) continue
      this.#former.delete(former)
      void former.close()
    }
  }

  #receive(received: Message, extra: { readonly authInfo?: unknown } | undefined): void {
    const message = isResponse(received) ? repairResponse(received) : received
    if (isResponse(message)) {
      if (message.id === this.#greeted?.id) return this.#greeted.settle.resolve(message)
      const method = this.#pending.get(message.id)?.method
      this.#pending.delete(message.id)
      this.#closeFormer()
      if (method === 'initialize') agree(this.#connection, message)
      if (method === 'initialize' && message.result !== undefined && this.#offered !== undefined)
        this.#greeting.set(method, this.#offered)
    } else if (isRequest(message)) this.#asked.add(message.id)
    this.#handlers?.onMessage(message, extra)
  }

  #lost(reason: string): void {
    this.#connection = undefined
    if (this.#closed) return
    this.#closed = true
    const { name } = this.#options
    const unanswered = [...this.#pending.keys()]
    this.#pending.clear()
    this.#tell({ type: 'server-ended', server: name, reason, unanswered: unanswered.length })
    for (const id of unanswered)
      this.#answerEnded(id, `MCP server ${name} ended (${reason}) before it answered. Start it again.`)
    this.#handlers?.onClose(reason)
  }

  #rememberGreeting(message: Message): void {
    const { method, params } = message
    if (method === 'initialize') this.#offered = message
    if (method === 'notifications/initialized' || method === 'logging/setLevel') this.#greeting.set(method, message)
    if (method === 'resources/subscribe') this.#greeting.set(`subscribe ${String(params?.['uri'])}`, message)
    if (method === 'resources/unsubscribe') this.#greeting.delete(`subscribe ${String(params?.['uri'])}`)
  }

  /** The client does not see the answers to these messages. */
  async #greet(connection: Connection): Promise<void> {
    for (const message of this.#greeting.values()) {
      if (!isRequest(message)) await connection.send(message)
      else await this.#ask(connection, { ...message, id: `spillway-greeting-${++this.#greetings}` })
    }
  }

  async #ask(connection: Connection, request: Request): Promise<void> {
    const settle = Promise.withResolvers<Message>()
    this.#greeted = { id: request.id, settle }
    const timer = setTimeout(() => settle.reject(new Error('it does not answer')), GREETING_MS)
    try {
      await connection.send(request)
      const answer = await settle.promise
      if (request.method !== 'initialize') return
      if (answer.error !== undefined) throw new Error('it answered `initialize` with an error')
      agree(connection, answer)
    } finally {
      clearTimeout(timer)
      this.#greeted = undefined
    }
  }

  #answerEnded(id: RequestId, text = `MCP server ${this.#options.name} has ended. Start it again.`): void {
    this.#handlers?.onMessage(errorOf(id, ERROR_CODE.connectionClosed, text))
  }

  #tell(event: UpstreamEvent): void {
    this.#options.onEvent?.(event)
  }
}

function agree(connection: Connection | undefined, { result }: Message): void {
  const { protocolVersion } = fieldsOf(result)
  if (typeof protocolVersion === 'string') connection?.agree?.(protocolVersion)
}

function statusOf(error: unknown): number | undefined {
  const { status, data, message } = Object(error) as {
    readonly status?: unknown
    readonly data?: { readonly status?: unknown }
    readonly message?: unknown
  }
  const known = status ?? data?.status ?? POST_FAILED.exec(String(message))?.[1]
  return known === undefined ? undefined : Number(known)
}

/** A server may echo secrets, so the description contains no part of a request or an answer. */
function describe(error: unknown): string {
  const status = statusOf(error)
  if (status !== undefined) return `it answered with HTTP status ${status}`
  const { cause, message, name } = Object(error) as {
    readonly cause?: { readonly code?: unknown }
    readonly message?: unknown
    readonly name?: unknown
  }
  if (name === 'SyntaxError' || name === 'ZodError') return 'its answer is not a JSON-RPC 2.0 message'
  return typeof cause?.code === 'string' ? `it cannot be reached (${cause.code})` : String(message ?? error)
}
