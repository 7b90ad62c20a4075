import type { ContextOffloader, ReferenceCall } from '@spillway/core'
import { hasReferences, offloaderOfRun, resolvedInput, writeMcpPart } from '@spillway/core/adapter'
import { BoundedMap } from '@spillway/core/driver'
import {
  ERROR_CODE,
  errorOf,
  fieldsOf,
  isRequest,
  isResponse,
  resultOf,
  type Fields,
  type Message,
  type Request,
  type RequestId,
  type Response,
} from './message.ts'
import { isDeep, mayBeReplaced, offloadCallError, offloadCallResult } from './offload-call-result.ts'
import { OrderedQueue } from './ordered-queue.ts'
import { addNames, isCursor, readPages, toolsIn } from './read-pages.ts'
import type { RelaySettings } from './relay-options.ts'
import { chooseToolName, listRetrievalTool, listServerTool, mayBeRetrievalTool } from './retrieval-listing.ts'

interface RelaySides {
  /** Sends a message to the client, with the transport options that the message came with. */
  readonly toClient: (message: Message, options?: unknown) => unknown
  readonly toServer: (message: Message, options?: unknown) => unknown
  readonly onError: (error: unknown) => void
}

export interface ClientMessageContext {
  /** The sender, as the transport authenticated it. */
  readonly authInfo?: unknown
  /** Options that are passed on with the message. */
  readonly options?: unknown
  /** Options for requests that the relay itself makes because of the message. */
  readonly ownOptions?: unknown
}

/** A request whose answer the relay reads. */
interface Pending {
  readonly method: string
  readonly params: Fields
  readonly offloader: ContextOffloader
  readonly ownOptions?: unknown
  /** Called with the answer to the relay's own request. */
  readonly settle?: (response: Response) => void
}

const MAX_CANCELLED = 1_000
const MAX_TASKS = 10_000
/** Milliseconds to wait for the first page of the server's tools, and again for the others. Results wait, too. */
const LIST_TOOLS_MS = 5_000

const UNSENT = 'The request could not be sent.'

const WATCHED = new Set(['initialize', 'server/discover', 'tools/list', 'tools/call', 'tasks/result'])

/** Passes MCP messages in order. Large results become previews, and calls of the retrieval tool are answered here. */
export class OffloadRelay {
  readonly #settings: RelaySettings
  readonly #sides: RelaySides
  readonly #offloaderOf: (authInfo: unknown) => ContextOffloader
  readonly #pending = new Map<RequestId, Pending>()
  readonly #answering = new Map<RequestId, AbortController>()
  /** Requests whose results are being stored. A canceled request does not wait for the storage. */
  readonly #offloading = new Map<RequestId, AbortController>()
  readonly #cancelled: RequestId[] = []
  /** The calls that created tasks, whose results come later. */
  readonly #tasks = new BoundedMap<string, Pending>(MAX_TASKS)
  readonly #fromServer = new OrderedQueue()
  /** The name of the retrieval tool for the client. Unknown until the server's tools are listed. */
  #toolName: string | undefined
  #naming: Promise<string> | undefined

  constructor(settings: RelaySettings, sides: RelaySides) {
    this.#settings = settings
    this.#sides = sides
    const { offloader, scope } = settings
    this.#offloaderOf = scope === undefined ? () => offloader : offloaderOfRun(offloader, scope)
  }

  fromClient(message: Message, context: ClientMessageContext = {}): unknown {
    const { authInfo, options } = context
    if (!isRequest(message)) {
      if (message.method === 'notifications/cancelled') this.#cancel(message)
      return this.#sides.toServer(message, options)
    }
    const { id, method } = message
    const params = fieldsOf(message.params)
    const offloader = this.#offloaderOf(authInfo)
    const answer = this.#answer(message, offloader, context)
    if (answer !== undefined) return void answer.catch(this.#sides.onError)
    const call = { toolName: String(params['name']), input: params['arguments'] }
    if (method === 'tools/call' && hasReferences(offloader, call))
      return void this.#sendResolved(message, call, offloader, context).catch(this.#sides.onError)
    if (WATCHED.has(method)) this.#pending.set(id, { method, params, offloader, ownOptions: context.ownOptions })
    return this.#sides.toServer(message, options)
  }

  async #sendResolved(
    request: Request,
    call: ReferenceCall,
    offloader: ContextOffloader,
    context: ClientMessageContext,
  ): Promise<unknown> {
    const { id } = request
    const controller = new AbortController()
    this.#answering.set(id, controller)
    const { signal } = controller
    const resolved = await resolvedInput(offloader, { ...call, signal })
    this.#answering.delete(id)
    if (signal.aborted) return undefined
    if (resolved.error !== undefined)
      return this.#deliver(resultOf(request, { content: [{ type: 'text', text: resolved.error }], isError: true }))
    const params = { ...request.params, arguments: resolved.input }
    return this.#send({ ...request, params }, request.params ?? {}, offloader, context)
  }

  /** Send a request that was held back. If that fails, the sender gets an error, and does not wait forever. */
  async #send(
    request: Request,
    params: Fields,
    offloader: ContextOffloader,
    { options, ownOptions }: ClientMessageContext,
  ): Promise<unknown> {
    const { id, method } = request
    this.#pending.set(id, { method, params, offloader, ownOptions })
    try {
      return await this.#sides.toServer(request, options)
    } catch (error) {
      // Any error is reported, and the client gets an answer.
      this.#sides.onError(error)
      this.#pending.delete(id)
      return this.#deliver(errorOf(id, ERROR_CODE.internal, UNSENT))
    }
  }

  /** Returns the result of the client's side. */
  fromServer(message: Message, options?: unknown): unknown {
    const id = isResponse(message) ? this.#pendingId(message.id) : undefined
    const pending = id === undefined ? undefined : this.#pending.get(id)
    if (id === undefined || pending === undefined) {
      if (message.method === 'notifications/tools/list_changed') this.#toolName = undefined
      return this.#fromServer.push(message, (ready) => this.#deliver(ready, options))
    }
    const response = (message.id === id ? message : { ...message, id }) as Response
    this.#pending.delete(id)
    if (pending.settle !== undefined) return pending.settle(response)
    return this.#fromServer.push(this.#rewrite(response, pending), (ready) => this.#deliver(ready, options))
  }

  /** SDKs treat the id "1" like 1, so an answer with either id is matched. */
  #pendingId(id: RequestId): RequestId {
    const other = typeof id === 'string' ? Number(id) : String(id)
    return !this.#pending.has(id) && this.#pending.has(other) ? other : id
  }

  /** Send a message to the client. If that fails, answer the requester with an error, and reject. */
  #deliver(message: Message, options?: unknown): unknown {
    const delivered = this.#sides.toClient(message, options)
    if (!(delivered instanceof Promise)) return delivered
    return delivered.catch(async (error: unknown) => {
      const told = isResponse(message)
        ? this.#sides.toClient(errorOf(message.id, ERROR_CODE.internal, 'The answer could not be sent.'), options)
        : isRequest(message) && this.#sides.toServer(errorOf(message.id, ERROR_CODE.internal, UNSENT))
      await Promise.allSettled([told])
      throw error
    })
  }

  /** Resolves once the client has all messages of the server. `undefined` if the client already has them all. */
  get delivering(): Promise<void> | undefined {
    return this.#fromServer.settling
  }

  close(): void {
    for (const controller of this.#answering.values()) controller.abort()
    const error = { code: ERROR_CODE.connectionClosed, message: 'Connection closed' }
    for (const [id, { settle }] of this.#pending) settle?.({ jsonrpc: '2.0', id, error })
    this.#pending.clear()
  }

  #answer(request: Request, offloader: ContextOffloader, context: ClientMessageContext): Promise<unknown> | undefined {
    const name = request.params?.['name']
    if (request.method !== 'tools/call' || !offloader.options.includeRetrievalTool || typeof name !== 'string')
      return undefined
    if (this.#toolName !== undefined) return name === this.#toolName ? this.#retrieve(request, offloader) : undefined
    // Only the server's list of tools shows whether the server has a tool of this name.
    return mayBeRetrievalTool(name) ? this.#retrieveIfOurs(request, offloader, context) : undefined
  }

  async #retrieveIfOurs(
    request: Request,
    offloader: ContextOffloader,
    context: ClientMessageContext,
  ): Promise<unknown> {
    const { id, params = {} } = request
    const controller = new AbortController()
    this.#answering.set(id, controller)
    const name = await this.#findName(params, context.ownOptions)
    this.#answering.delete(id)
    if (controller.signal.aborted) return undefined
    if (params['name'] === name) return this.#retrieve(request, offloader)
    return this.#send(request, params, offloader, context)
  }

  #retrieve(request: Request, offloader: ContextOffloader): Promise<unknown> {
    return this.#respond(request, async (signal) => {
      const { retrievalTool } = this.#named(offloader)
      const { content, isError } = await retrievalTool.execute(plainJson(request.params?.['arguments'] ?? {}), {
        signal,
      })
      return resultOf(request, { content: content.map(writeMcpPart), ...(isError ? { isError } : {}) })
    })
  }

  /** A canceled request gets no answer. */
  async #respond(request: Request, make: (signal: AbortSignal) => Message | Promise<Message>): Promise<unknown> {
    const controller = new AbortController()
    this.#answering.set(request.id, controller)
    let answer: Message
    try {
      answer = await make(controller.signal)
    } catch (error) {
      // After any error, answer the client, which must not wait forever.
      this.#sides.onError(error)
      answer = errorOf(request.id, ERROR_CODE.internal, 'The stored content could not be read.')
    } finally {
      this.#answering.delete(request.id)
    }
    return controller.signal.aborted ? undefined : await this.#deliver(answer)
  }

  #cancel({ params }: Message): void {
    const id = params?.['requestId'] as RequestId
    this.#answering.get(id)?.abort()
    this.#offloading.get(id)?.abort()
    if (!this.#pending.has(id)) return
    // The answer may already be on its way. If no answer comes, the request must not be remembered forever.
    this.#cancelled.push(id)
    if (this.#cancelled.length > MAX_CANCELLED) this.#pending.delete(this.#cancelled.shift() as RequestId)
  }

  #rewrite(response: Response, pending: Pending): Message | Promise<Message> {
    const { result } = response
    const { method, params } = pending
    if (method === 'tools/call') return this.#offload(response, pending)
    if (method === 'tasks/result') return this.#offload(response, this.#tasks.get(String(params['taskId'])) ?? pending)
    if (result === undefined) return response
    if (method === 'tools/list') return this.#listTools(response, pending)
    // A new server, or the same server after a restart, may have other tools.
    this.#toolName = undefined
    return response
  }

  async #offload(response: Response, pending: Pending): Promise<Message> {
    const { params, offloader, ownOptions } = pending
    const toolName = typeof params['name'] === 'string' ? params['name'] : 'tool'
    const { taskId } = fieldsOf(fieldsOf(response.result)['task'])
    if (typeof taskId === 'string') this.#tasks.set(taskId, pending)
    const controller = new AbortController()
    this.#offloading.set(response.id, controller)
    const { signal } = controller
    try {
      // The replacement contains the retrieval tool's name, so find the name first.
      if (this.#toolName === undefined && mayBeReplaced(offloader, toolName, response.result ?? response.error))
        await this.#findName(params, ownOptions)
      const input = isDeep(params['arguments']) ? undefined : plainJson(params['arguments'])
      const named = this.#named(offloader)
      const request = { toolName, input, signal }
      if (response.result === undefined) {
        const error = await offloadCallError(named, { ...request, error: response.error })
        return { ...response, error }
      }
      const result = await offloadCallResult(named, { ...request, result: response.result })
      // A copy loses the received text, in which a field may occur twice and only one of them was measured.
      return { ...response, result }
    } catch (error) {
      // After any error, the original result is passed on.
      this.#sides.onError(error)
      return response
    } finally {
      this.#offloading.delete(response.id)
    }
  }

  /** The retrieval tool is added to the first page, because some clients read only that page. */
  #listTools(response: Response, { params, offloader, ownOptions }: Pending): Message | Promise<Message> {
    const result = fieldsOf(response.result)
    const tools = toolsIn(result)
    const shown = tools.map((tool) => listServerTool(offloader, tool))
    const list = (own: readonly Fields[]): Message => ({
      ...response,
      result: { ...result, tools: [...shown, ...own] },
    })
    if (params['cursor'] !== undefined || !offloader.options.includeRetrievalTool) return list([])
    const listOwn = (name: string): Message => list([listRetrievalTool(offloader, name)])
    const name = this.#nameByPages(result, params, ownOptions)
    return typeof name === 'string' ? listOwn(name) : this.#share(name).then(listOwn)
  }

  /** Find the retrieval tool's name by listing the server's tools. Parallel calls share one listing. */
  #findName(params: Fields, options: unknown): Promise<string> {
    return this.#naming ?? this.#share(this.#nameTool(params, options))
  }

  #share(naming: Promise<string>): Promise<string> {
    return (this.#naming = naming.finally(() => (this.#naming = undefined)))
  }

  async #nameTool(params: Fields, options: unknown): Promise<string> {
    const { result, error } = await this.#request('tools/list', envelopeOf(params), options)
    // Do not keep this name, so that the next call reads the list again.
    if (error !== undefined) return chooseToolName(new Set())
    return await this.#nameByPages(fieldsOf(result), params, options)
  }

  /** Choose a name that no page of tools contains. */
  #nameByPages(first: Fields, params: Fields, options: unknown): string | Promise<string> {
    const names = new Set<unknown>()
    addNames(names, first)
    const choose = (): string => (this.#toolName = chooseToolName(names))
    if (!isCursor(first['nextCursor'])) return choose()
    const envelope = envelopeOf(params)
    const ask = (cursor: string): Promise<Response> => this.#request('tools/list', { ...envelope, cursor }, options)
    const take = (page: Fields): boolean => addNames(names, page)
    return readPages(first['nextCursor'], { ask, take, maxMs: LIST_TOOLS_MS }).then(choose)
  }

  async #request(method: string, params: Fields, options: unknown): Promise<Response> {
    // The id differs from all ids of the client, even if the client is a relay.
    const id = `spillway-${crypto.randomUUID()}`
    const { promise, resolve } = Promise.withResolvers<Response>()
    // Stay pending after the deadline, so that a late answer does not reach the client.
    this.#pending.set(id, { method, params, offloader: this.#settings.offloader, settle: resolve })
    const timer = setTimeout(() => resolve({ jsonrpc: '2.0', id, result: {} }), LIST_TOOLS_MS)
    try {
      await this.#sides.toServer({ jsonrpc: '2.0', id, method, params }, options)
    } catch (error) {
      // After any error, the waiting code must continue.
      this.#sides.onError(error)
      this.#pending.delete(id)
      resolve({ jsonrpc: '2.0', id, error: { code: ERROR_CODE.internal, message: UNSENT } })
    }
    const response = await promise
    clearTimeout(timer)
    return response
  }

  #named(offloader: ContextOffloader): ContextOffloader {
    const name = this.#toolName
    return name === undefined || name === offloader.retrievalTool.name
      ? offloader
      : offloader.withRetrievalToolName(name)
  }
}

/** Fields that all requests of the client have, such as the protocol revision. */
function envelopeOf(params: Fields): Fields {
  const { progressToken: _ofTheCall, ...meta } = fieldsOf(params['_meta'])
  return Object.keys(meta).length === 0 ? {} : { _meta: meta }
}

const plainJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
