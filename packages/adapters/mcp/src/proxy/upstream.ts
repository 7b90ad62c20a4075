import { setTimeout as sleep } from 'node:timers/promises'
import {
  errorOf,
  ERROR_CODE,
  fieldsOf,
  isRequest,
  isResponse,
  type Message,
  type Request,
  type RequestId,
} from '../relay/message.ts'
import type { Connection, ConnectionHandlers } from './connection.ts'

/** More restarts than this within {@link RESTART_WINDOW_MS} are not made: the server would only crash again. */
const MAX_RESTARTS = 5
const RESTART_WINDOW_MS = 60_000
const FIRST_DELAY_MS = 100
/** Milliseconds that a new server has to answer a greeting. */
const GREETING_MS = 60_000
/** The HTTP status by which a server says that it does not know a session any more. */
const SESSION_LOST = 404

/** What is told of a server, for logs. Nothing in it is content, and no argument, header or variable. */
export type UpstreamEvent =
  | { readonly type: 'server-ended'; readonly server: string; readonly reason: string; readonly unanswered: number }
  | { readonly type: 'server-restarted'; readonly server: string; readonly attempt: number }
  | { readonly type: 'server-error'; readonly server: string; readonly message: string }

/** Options of {@link Upstream}. */
export interface UpstreamOptions {
  /** The name that messages and events have for the server. */
  readonly name: string
  /** Make a connection that is not started. */
  readonly open: () => Connection
  /** Whether a server that has ended is started again. */
  readonly restart: boolean
  readonly onEvent: (event: UpstreamEvent) => void
}

/**
 * The connection to one server, which outlives the server's own: where that ends, every request under way is answered
 * with an error, and where asked, the server is started again and greeted as the client had greeted it.
 */
export class Upstream implements Connection {
  readonly #options: UpstreamOptions
  readonly #pending = new Map<RequestId, string>()
  /** Requests of the server that the client has not answered yet. */
  readonly #asked = new Set<RequestId>()
  readonly #restarts: number[] = []
  /** The client's greeting, until the server has answered it. */
  #offered: Message | undefined
  /** What a new server is told first: the handshake, the level of logging, the subscriptions. */
  readonly #greeting = new Map<string, Message>()
  #handlers: ConnectionHandlers | undefined
  #connection: Connection | undefined
  /** What waits for the answers of a server that is being greeted; rejected where that ends. */
  #greeted: { readonly id: RequestId; readonly settle: PromiseWithResolvers<Message> } | undefined
  /** Messages that wait for a server to be there again. */
  #waiting: { readonly message: Message; readonly options: unknown }[] | undefined
  #greetings = 0
  #closed = false

  constructor(options: UpstreamOptions) {
    this.#options = options
  }

  async start(handlers: ConnectionHandlers): Promise<void> {
    this.#handlers = handlers
    await this.#connect()
  }

  async send(message: Message, options?: unknown): Promise<void> {
    if (this.#closed) {
      if (isRequest(message))
        this.#handlers?.onMessage(errorOf(message.id, ERROR_CODE.connectionClosed, this.#endedText()))
      return
    }
    if (isResponse(message) && !this.#asked.delete(message.id)) return
    this.#rememberGreeting(message)
    // It is not answered, and must not be remembered for ever.
    if (message.method === 'notifications/cancelled') this.#pending.delete(message.params?.['requestId'] as RequestId)
    if (isRequest(message)) this.#pending.set(message.id, message.method)
    if (this.#waiting !== undefined) return void this.#waiting.push({ message, options })
    await this.#forward(message, options)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#connection?.close()
    this.#handlers?.onClose('closed')
  }

  async #connect(): Promise<void> {
    const connection = this.#options.open()
    await connection.start({
      onMessage: (message, extra) => this.#receive(message, extra),
      onClose: (reason) => {
        if (connection === this.#connection) this.#lost(reason)
      },
      onError: ({ message }) => this.#tell({ type: 'server-error', server: this.#options.name, message }),
    })
    // Closed while it started: nobody else knows of it.
    if (this.#closed) await connection.close()
    else this.#connection = connection
  }

  async #forward(message: Message, options: unknown): Promise<void> {
    try {
      await this.#connection?.send(message, options)
    } catch (error) {
      if (statusOf(error) === SESSION_LOST && this.#greeting.has('initialize')) return this.#renew(message, options)
      // Over HTTP every message may fail on its own; the client of a request must not wait for ever.
      const reason = describe(error)
      this.#tell({ type: 'server-error', server: this.#options.name, message: reason })
      if (isRequest(message) && this.#pending.delete(message.id))
        this.#handlers?.onMessage(
          errorOf(message.id, ERROR_CODE.connectionClosed, `MCP server ${this.#options.name}: ${reason}`),
        )
    }
  }

  /** The server has forgotten the session and with it not taken the message: greet it again, and send it once more. */
  #renew(message: Message, options: unknown): void {
    const forgotten = this.#connection
    this.#connection = undefined
    const waiting = { message, options }
    if (this.#waiting !== undefined) return void this.#waiting.push(waiting)
    this.#waiting = [waiting]
    void forgotten?.close()
    void this.#restart()
  }

  #receive(message: Message, extra: { readonly authInfo?: unknown } | undefined): void {
    if (isResponse(message)) {
      if (message.id === this.#greeted?.id) return this.#greeted.settle.resolve(message)
      const method = this.#pending.get(message.id)
      this.#pending.delete(message.id)
      if (method === 'initialize') this.#agree(message)
      if (method === 'initialize' && message.result !== undefined && this.#offered !== undefined)
        this.#greeting.set(method, this.#offered)
    } else if (isRequest(message)) this.#asked.add(message.id)
    this.#handlers?.onMessage(message, extra)
  }

  #agree({ result }: Message): void {
    const { protocolVersion } = fieldsOf(result)
    if (typeof protocolVersion === 'string') this.#connection?.agree?.(protocolVersion)
  }

  #lost(reason: string): void {
    this.#connection = undefined
    if (this.#closed) return
    // While a new server is greeted, whoever greets it starts another.
    if (this.#waiting !== undefined)
      return this.#greeted?.settle.reject(new Error(`it ended while it started (${reason})`))
    const { name, restart } = this.#options
    const unanswered = [...this.#pending.keys()]
    this.#tell({ type: 'server-ended', server: name, reason, unanswered: unanswered.length })
    this.#asked.clear()
    this.#pending.clear()
    const text = `MCP server ${name} ended (${reason}) before it answered. ${restart ? 'It is started again: call it again if that is safe.' : 'Start it again.'}`
    for (const id of unanswered) this.#handlers?.onMessage(errorOf(id, ERROR_CODE.connectionClosed, text))
    if (restart) void this.#restart()
    else this.#end(reason)
  }

  async #restart(): Promise<void> {
    this.#waiting ??= []
    for (;;) {
      const now = Date.now()
      while (this.#restarts[0] !== undefined && now - this.#restarts[0] > RESTART_WINDOW_MS) this.#restarts.shift()
      if (this.#restarts.length >= MAX_RESTARTS) return this.#end('too many restarts')
      this.#restarts.push(now)
      await sleep(FIRST_DELAY_MS * 2 ** (this.#restarts.length - 1))
      if (this.#closed) return
      try {
        await this.#connect()
        if (this.#closed) return
        await this.#greet()
        if (this.#connection !== undefined) break
        throw new Error('it ended while it started')
      } catch (error) {
        // Whatever it was: it is tried again until it was too often.
        const failed = this.#connection
        this.#connection = undefined
        void failed?.close()
        this.#tell({ type: 'server-error', server: this.#options.name, message: describe(error) })
      }
    }
    this.#tell({ type: 'server-restarted', server: this.#options.name, attempt: this.#restarts.length })
    const waiting = this.#waiting
    this.#waiting = undefined
    for (const { message, options } of waiting) void this.#forward(message, options)
  }

  #end(reason: string): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    this.#closed = true
    this.#pending.clear()
    for (const { message } of waiting)
      if (isRequest(message))
        this.#handlers?.onMessage(errorOf(message.id, ERROR_CODE.connectionClosed, this.#endedText()))
    this.#handlers?.onClose(reason)
  }

  #rememberGreeting(message: Message): void {
    const { method, params } = message
    if (method === 'initialize') this.#offered = message
    if (method === 'notifications/initialized' || method === 'logging/setLevel') this.#greeting.set(method, message)
    if (method === 'resources/subscribe') this.#greeting.set(`subscribe ${String(params?.['uri'])}`, message)
    if (method === 'resources/unsubscribe') this.#greeting.delete(`subscribe ${String(params?.['uri'])}`)
  }

  /** Tell a new server what the client has told the one before; the client does not see the answers. */
  async #greet(): Promise<void> {
    for (const message of this.#greeting.values()) {
      if (!isRequest(message)) await this.#connection?.send(message)
      else await this.#ask({ ...message, id: `spillway-greeting-${++this.#greetings}` })
    }
  }

  async #ask(request: Request): Promise<void> {
    const settle = Promise.withResolvers<Message>()
    this.#greeted = { id: request.id, settle }
    const timer = setTimeout(() => settle.reject(new Error('it does not answer')), GREETING_MS)
    try {
      if (this.#connection === undefined) throw new Error('it ended while it started')
      await this.#connection.send(request)
      const answer = await settle.promise
      if (request.method === 'initialize') this.#agree(answer)
    } finally {
      clearTimeout(timer)
      this.#greeted = undefined
    }
  }

  #endedText(): string {
    return `MCP server ${this.#options.name} has ended. Start it again.`
  }

  #tell(event: UpstreamEvent): void {
    this.#options.onEvent(event)
  }
}

function statusOf(error: unknown): unknown {
  const { status, data } = Object(error) as { readonly status?: unknown; readonly data?: { readonly status?: unknown } }
  return status ?? data?.status
}

/** An error in words that have no part of a request or an answer: a server may echo secrets. */
function describe(error: unknown): string {
  const status = statusOf(error)
  if (typeof status === 'number') return `it answered with HTTP status ${status}`
  const { cause, message } = Object(error) as {
    readonly cause?: { readonly code?: unknown }
    readonly message?: unknown
  }
  return typeof cause?.code === 'string' ? `it cannot be reached (${cause.code})` : String(message ?? error)
}
