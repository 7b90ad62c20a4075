import {
  isLegacyRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Connection, ConnectionHandlers } from '../proxy/connection.ts'
import { fieldsOf, isRequest, isResponse, type Message, type RequestId } from '../relay/message.ts'
import { ExactNumbers } from './exact-numbers.ts'

/** Options of {@link HttpSessions}. */
export interface HttpSessionsOptions {
  /** Serves a client until its session ends. */
  readonly serve: (client: Connection, scope: readonly string[]) => Promise<unknown>
  readonly onError: (error: Error) => void
  /** Largest number of open sessions. Each session may have its own server. Defaults to 100. */
  readonly maxSessions?: number | undefined
  /** Milliseconds after which a session without requests or open streams ends. Defaults to 30 minutes. */
  readonly idleMs?: number | undefined
  /** Bytes of one request. Defaults to 10 MiB. */
  readonly maxRequestBytes?: number | undefined
}

/** Share of all sessions that one caller may always keep. Sessions beyond it may be ended for another caller. */
const CALLER_SHARE = 0.25
/** Largest interval between searches for idle sessions, in milliseconds. */
const SWEEP_MS = 60_000

/**
 * Serves each session of an MCP endpoint over HTTP separately. Only the caller that opened a session can use it.
 *
 * Protocol revisions up to 2025-11-25 have sessions. A client of a later revision gets an error, and must initialize
 * with one of these revisions.
 */
export class HttpSessions {
  readonly #options: HttpSessionsOptions & { readonly [Key in 'maxSessions' | 'idleMs' | 'maxRequestBytes']: number }
  /** A session belongs to its caller. Its id alone gives no access. */
  readonly #sessions = new Map<string, { readonly connection: SessionConnection; readonly caller: string }>()
  readonly #open = new Map<SessionConnection, string>()
  readonly #timer: NodeJS.Timeout

  constructor(options: HttpSessionsOptions) {
    const { maxSessions = 100, idleMs = 30 * 60_000, maxRequestBytes = 10_485_760, ...others } = options
    this.#options = { ...others, maxSessions, idleMs, maxRequestBytes }
    this.#timer = setInterval(() => void this.#endIdle(), Math.min(SWEEP_MS, idleMs)).unref()
  }

  async fetch(request: Request, scope: readonly string[]): Promise<Response> {
    const { maxRequestBytes, maxSessions } = this.#options
    const id = request.headers.get('mcp-session-id')
    const caller = JSON.stringify(scope)
    if (id !== null) {
      const session = this.#sessions.get(id)
      return session?.caller === caller
        ? await session.connection.handle(request)
        : refuse(404, -32_001, 'Session not found')
    }
    if (Number(request.headers.get('content-length') ?? 0) > maxRequestBytes)
      return refuse(413, -32_000, `A request may have ${maxRequestBytes} bytes.`)
    if (!(await isLegacyRequest(request, undefined, { maxRequestBodySize: maxRequestBytes }))) return refuseRevision()
    if (!(await isGreeting(request))) return refuse(400, -32_000, 'Bad Request: Mcp-Session-Id header is required')
    if (this.#open.size >= maxSessions && !this.#endLeftOpen())
      return refuse(503, -32_000, `There are ${maxSessions} sessions. Try again later.`, { 'retry-after': '30' })
    return await this.#begin(request, scope, caller)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([...this.#sessions.values()].map(({ connection }) => connection.close()))
  }

  async #begin(request: Request, scope: readonly string[], caller: string): Promise<Response> {
    const { serve, onError, maxRequestBytes } = this.#options
    let id: string | undefined
    const connection = new SessionConnection({
      maxRequestBytes,
      onOpen: (sessionId) => {
        id = sessionId
        this.#sessions.set(sessionId, { connection, caller })
      },
    })
    this.#open.set(connection, caller)
    // An error ends only this session.
    const served = serve(connection, scope).catch((error: unknown) =>
      onError(error instanceof Error ? error : new Error(String(error))),
    )
    const ended = served.then(async () => {
      this.#open.delete(connection)
      if (id !== undefined) this.#sessions.delete(id)
      await connection.close()
      return false
    })
    const started = await Promise.race([connection.started.then(() => true), ended])
    if (!started) return refuse(502, -32_000, 'The MCP server behind this endpoint could not be started.')
    const response = await connection.handle(request)
    if (id === undefined) await connection.close()
    return response
  }

  /** If a caller has more than its share, ends its longest idle session. Returns whether a session was ended. */
  #endLeftOpen(): boolean {
    const byCaller = [...Map.groupBy(this.#open, ([, caller]) => caller).values()]
    const [largest = []] = byCaller.toSorted((one, other) => other.length - one.length)
    const [longestIdle] = largest.map(([session]) => session).toSorted((one, other) => other.idleMs - one.idleMs)
    if (longestIdle === undefined || largest.length <= Math.max(1, this.#options.maxSessions * CALLER_SHARE))
      return false
    this.#open.delete(longestIdle)
    void longestIdle.close()
    return true
  }

  async #endIdle(): Promise<void> {
    const idle = [...this.#sessions.values()].filter(({ connection }) => connection.idleMs > this.#options.idleMs)
    await Promise.all(idle.map(({ connection }) => connection.close()))
  }
}

/** Whether a request opens a session. The caller has checked its length. */
async function isGreeting(request: Request): Promise<boolean> {
  if (request.method !== 'POST') return false
  try {
    return fieldsOf(await request.clone().json())['method'] === 'initialize'
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return false
  }
}

function refuse(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers })
}

/** By the specification, clients of a later revision may then initialize with an earlier revision. */
function refuseRevision(): Response {
  const error = {
    code: -32_022,
    message: 'This endpoint keeps sessions: send `initialize` first.',
    data: { supported: SUPPORTED_PROTOCOL_VERSIONS, requested: 'a revision without sessions' },
  }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}

/** Largest number of messages to keep for a client that has not opened its stream. */
const MAX_WAITING = 1_000

class SessionConnection implements Connection {
  readonly #transport: WebStandardStreamableHTTPServerTransport
  /** Requests of the client without an answer, with their progress tokens. */
  readonly #open = new Map<RequestId, unknown>()
  /** Messages that answer no request, and wait until the client opens a stream. */
  readonly #waiting: Message[] = []
  readonly #numbers = new ExactNumbers()
  readonly #maxRequestBytes: number
  readonly #started: PromiseWithResolvers<void> = Promise.withResolvers()
  #hasStream = false
  #active = 0
  #lastUsed = Date.now()

  constructor(options: { readonly maxRequestBytes: number; readonly onOpen: (sessionId: string) => void }) {
    this.#maxRequestBytes = options.maxRequestBytes
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: options.onOpen,
      maxRequestBodySize: options.maxRequestBytes,
    })
  }

  /** Milliseconds since the client's last activity; 0 while a request or a stream is open. */
  get idleMs(): number {
    return this.#active > 0 ? 0 : Date.now() - this.#lastUsed
  }

  async start({ onMessage, onClose, onError }: ConnectionHandlers): Promise<void> {
    Object.assign(this.#transport, {
      onmessage: (parsed: Message) => {
        const message = this.#numbers.reveal(parsed)
        if (isRequest(message)) this.#open.set(message.id, fieldsOf(message.params?.['_meta'])['progressToken'])
        onMessage(message)
      },
      onclose: () => onClose('the session ended'),
      onerror: (error: Error) => onError(error),
    })
    await this.#transport.start()
    this.#started.resolve()
  }

  /** Resolves when the client's messages have a handler. */
  get started(): Promise<void> {
    return this.#started.promise
  }

  async handle(request: Request): Promise<Response> {
    this.#active += 1
    const done = (): void => {
      this.#active -= 1
      this.#lastUsed = Date.now()
    }
    let response: Response
    try {
      response = await this.#transport.handleRequest(this.#mark(request))
    } catch (error) {
      done()
      throw error
    }
    if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
      done()
      return response
    }
    const isOwn = request.method === 'GET'
    if (isOwn) void this.#openStream()
    const body = response.body.pipeThrough(
      watchEnd(() => {
        if (isOwn) this.#hasStream = false
        done()
      }),
    )
    return new Response(body, response)
  }

  #mark(request: Request): Request {
    if (request.body === null) return request
    const body = this.#numbers.markBody(request.body, { isEventStream: false, maxLength: this.#maxRequestBytes })
    // A stream needs `duplex`, which the types lack.
    return new Request(request, { body, duplex: 'half' } as RequestInit)
  }

  async send(message: Message): Promise<void> {
    if (isResponse(message)) this.#open.delete(message.id)
    const relatedRequestId = isResponse(message) ? message.id : this.#relatedRequest(message)
    if (relatedRequestId === undefined && !this.#hasStream) {
      this.#waiting.push(message)
      if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()
      return
    }
    await this.#transport.send(message as Parameters<WebStandardStreamableHTTPServerTransport['send']>[0], {
      ...(relatedRequestId === undefined ? {} : { relatedRequestId }),
    })
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  /** Finds the request that a message belongs to, by its progress token. Without a stream, any request is used. */
  #relatedRequest({ method, params }: Message): RequestId | undefined {
    if (method === 'notifications/progress') {
      const token = params?.['progressToken']
      for (const [id, known] of this.#open) if (known === token) return id
    }
    return this.#hasStream ? undefined : [...this.#open.keys()].at(-1)
  }

  async #openStream(): Promise<void> {
    this.#hasStream = true
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift())
      await this.send(message)
  }
}

/** Calls `onEnd` once, when the stream ends or its reader stops. */
function watchEnd(onEnd: () => void): TransformStream<Uint8Array, Uint8Array> {
  let ended = false
  const end = (): void => {
    if (!ended) onEnd()
    ended = true
  }
  const transformer: Transformer<Uint8Array, Uint8Array> & { readonly cancel: () => void } = { flush: end, cancel: end }
  return new TransformStream(transformer)
}
