import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Connection, ConnectionHandlers } from '../proxy/connection.ts'
import { fieldsOf, isRequest, isResponse, type Message, type RequestId } from '../relay/message.ts'
import { ExactNumbers } from './exact-numbers.ts'

/** So many messages are kept for a client that has not opened its stream for them yet. */
const MAX_WAITING = 1_000

/** One client's session over streamable HTTP, by the transport of the MCP SDK. */
export class SessionConnection implements Connection {
  readonly #transport: WebStandardStreamableHTTPServerTransport
  /** Requests of the client that are not answered yet, and the tokens by which they are told of progress. */
  readonly #open = new Map<RequestId, unknown>()
  /** Messages that belong to no request, until the client opens a stream for them. */
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

  /** Milliseconds since the client was last heard of; 0 while a request or a stream is open. */
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

  /** Resolves when there is somebody to take the client's messages. */
  get started(): Promise<void> {
    return this.#started.promise
  }

  /** Serve one request of the client. */
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
    if (response.body === null || !isStream(response)) {
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

  /** Take the numbers of a request through the parser of the SDK as they are. */
  #mark(request: Request): Request {
    if (request.body === null) return request
    const body = this.#numbers.markBody(request.body, { isEventStream: false, maxLength: this.#maxRequestBytes })
    // A stream needs `duplex`, which the types do not know.
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

  /** A message of the server goes to the request that it is about, or to one that is open where the client has no stream. */
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

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true

/** Pass bytes on, and tell once that there are no more or nobody reads them. */
function watchEnd(onEnd: () => void): TransformStream<Uint8Array, Uint8Array> {
  let ended = false
  const end = (): void => {
    if (!ended) onEnd()
    ended = true
  }
  const transformer: Transformer<Uint8Array, Uint8Array> & { readonly cancel: () => void } = { flush: end, cancel: end }
  return new TransformStream(transformer)
}
