import { RETRIEVAL_TOOL_NAME, type ContextOffloader, type ReferenceCall } from '@spillway/core'
import { hasReferences, maxResultTokensOf, offloaderOfRun, resolvedInput, writeMcpPart } from '@spillway/core/adapter'
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
import { isDeep, offloadCallError, offloadCallResult } from './offload-call-result.ts'
import type { RelaySettings } from './relay-options.ts'

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
}

/** A request whose answer the relay reads. */
interface Pending {
  readonly method: string
  readonly params: Fields
  readonly offloader: ContextOffloader
}

const MAX_CANCELLED = 1_000
const MAX_TASKS = 10_000

/** Key of the number of characters that Claude Code keeps of a result. */
const RESULT_SIZE_META_KEY = 'anthropic/maxResultSizeChars'
/** Claude Code accepts no larger number. */
const MAX_RESULT_CHARACTERS = 500_000
/** Results up to this number of tokens are within the default limits of hosts. */
const HOST_LIMIT_TOKENS = 10_000
/** Words have 4 to 5 characters per token, and an answer has some text around its content. */
const CHARACTERS_PER_TOKEN = 6

const UNSENT = 'The request could not be sent.'

const WATCHED = new Set(['tools/list', 'tools/call', 'tasks/result'])

/** Passes MCP messages in order. Large results become previews, and calls of the retrieval tool are answered here. */
export class OffloadRelay {
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
  /** The name of the retrieval tool for the client. The first page of the server's tools may change it. */
  #toolName: string = RETRIEVAL_TOOL_NAME

  constructor({ offloader, scope }: RelaySettings, sides: RelaySides) {
    this.#sides = sides
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
    if (method === 'tools/call' && params['name'] === this.#toolName && offloader.options.includeRetrievalTool)
      return void this.#retrieve(message, offloader).catch(this.#sides.onError)
    const call = { toolName: String(params['name']), input: params['arguments'] }
    if (method === 'tools/call' && hasReferences(offloader, call))
      return void this.#sendResolved(message, call, offloader, options).catch(this.#sides.onError)
    if (WATCHED.has(method)) this.#pending.set(id, { method, params, offloader })
    return this.#sides.toServer(message, options)
  }

  async #sendResolved(
    request: Request,
    call: ReferenceCall,
    offloader: ContextOffloader,
    options: unknown,
  ): Promise<unknown> {
    const { id, method, params = {} } = request
    const controller = new AbortController()
    this.#answering.set(id, controller)
    const { signal } = controller
    const resolved = await resolvedInput(offloader, { ...call, signal })
    this.#answering.delete(id)
    if (signal.aborted) return undefined
    if (resolved.error !== undefined)
      return this.#deliver(resultOf(request, { content: [{ type: 'text', text: resolved.error }], isError: true }))
    this.#pending.set(id, { method, params, offloader })
    try {
      return await this.#sides.toServer({ ...request, params: { ...params, arguments: resolved.input } }, options)
    } catch (error) {
      // Any error is reported, and the client gets an answer, so that it does not wait forever.
      this.#sides.onError(error)
      this.#pending.delete(id)
      return this.#deliver(errorOf(id, ERROR_CODE.internal, UNSENT))
    }
  }

  /** Returns what the client's transport returned for the message. */
  fromServer(message: Message, options?: unknown): unknown {
    const id = isResponse(message) ? this.#pendingId(message.id) : undefined
    const pending = id === undefined ? undefined : this.#pending.get(id)
    if (id === undefined || pending === undefined)
      return this.#fromServer.push(message, (ready) => this.#deliver(ready, options))
    const response = (message.id === id ? message : { ...message, id }) as Response
    this.#pending.delete(id)
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
    this.#pending.clear()
  }

  /** Answer a call of the retrieval tool. A canceled call gets no answer. */
  async #retrieve(request: Request, offloader: ContextOffloader): Promise<unknown> {
    const controller = new AbortController()
    const { signal } = controller
    this.#answering.set(request.id, controller)
    let answer: Message
    try {
      const { retrievalTool } = this.#named(offloader)
      const input = plainJson(request.params?.['arguments'] ?? {})
      const { content, isError } = await retrievalTool.execute(input, { signal })
      answer = resultOf(request, { content: content.map(writeMcpPart), ...(isError ? { isError } : {}) })
    } catch (error) {
      // After any error, answer the client, which must not wait forever.
      this.#sides.onError(error)
      answer = errorOf(request.id, ERROR_CODE.internal, 'The stored content could not be read.')
    } finally {
      this.#answering.delete(request.id)
    }
    return signal.aborted ? undefined : await this.#deliver(answer)
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
    return result === undefined ? response : this.#listTools(response, pending)
  }

  async #offload(response: Response, pending: Pending): Promise<Message> {
    const { params, offloader } = pending
    const toolName = typeof params['name'] === 'string' ? params['name'] : 'tool'
    const { taskId } = fieldsOf(fieldsOf(response.result)['task'])
    if (typeof taskId === 'string') this.#tasks.set(taskId, pending)
    const controller = new AbortController()
    this.#offloading.set(response.id, controller)
    const { signal } = controller
    try {
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
  #listTools(response: Response, { params, offloader }: Pending): Message {
    const result = fieldsOf(response.result)
    const tools: readonly unknown[] = Array.isArray(result['tools']) ? result['tools'] : []
    const shown = tools.map((tool) => listServerTool(offloader, tool))
    if (params['cursor'] === undefined && offloader.options.includeRetrievalTool) {
      this.#toolName = chooseToolName(new Set(tools.map((tool) => fieldsOf(tool)['name'])))
      shown.push(listRetrievalTool(offloader, this.#toolName))
    }
    return { ...response, result: { ...result, tools: shown } }
  }

  #named(offloader: ContextOffloader): ContextOffloader {
    const name = this.#toolName
    return name === offloader.retrievalTool.name ? offloader : offloader.withRetrievalToolName(name)
  }
}

const plainJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

/**
 * Delivers values in the order in which they were passed. If no earlier value waits, a ready value is delivered at
 * once.
 */
export class OrderedQueue {
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  /** Resolves once all values so far are delivered. `undefined` if all values are already delivered. */
  get settling(): Promise<void> | undefined {
    return this.#waiting === 0 ? undefined : this.#last
  }

  /** Returns the result of `deliver`. */
  push<Value>(value: Value | Promise<Value>, deliver: (value: Value) => unknown): unknown {
    if (this.#waiting === 0 && !(value instanceof Promise)) return deliver(value)
    const previous = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    this.#waiting += 1
    return this.#deliverAfter(previous, value, deliver, resolve)
  }

  async #deliverAfter<Value>(
    previous: Promise<void>,
    value: Value | Promise<Value>,
    deliver: (value: Value) => unknown,
    release: () => void,
  ): Promise<unknown> {
    let delivered: unknown
    try {
      const ready = await value
      await previous
      delivered = deliver(ready)
    } finally {
      await previous
      this.#waiting -= 1
      release()
    }
    return delivered
  }
}

/** Choose the tool's name. The name gets a prefix if the server has a tool with this name. */
export function chooseToolName(taken: ReadonlySet<unknown>): string {
  for (let count = 1; ; count++) {
    const prefix = count === 1 ? '' : count === 2 ? 'spillway_' : `spillway_${count - 1}_`
    if (!taken.has(`${prefix}${RETRIEVAL_TOOL_NAME}`)) return `${prefix}${RETRIEVAL_TOOL_NAME}`
  }
}

export function listRetrievalTool({ options, retrievalTool }: ContextOffloader, name: string): Fields {
  const { description, inputSchema } = retrievalTool
  return {
    name,
    title: 'Search offloaded tool results',
    description,
    inputSchema,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    _meta: { [RESULT_SIZE_META_KEY]: charactersOf(options.maxRetrievalTokens) },
  }
}

/**
 * Return a server's tool without its output schema, so that clients accept a preview. The same object is returned if
 * its results are not offloaded.
 *
 * If the tool's limit is above the hosts' limit, `_meta` contains it.
 */
export function listServerTool(offloader: ContextOffloader, tool: unknown): unknown {
  const { outputSchema, ...others } = fieldsOf(tool)
  const maxResultTokens = maxResultTokensOf(offloader, String(others['name']))
  if (maxResultTokens === Infinity) return tool
  const meta = fieldsOf(others['_meta'])
  const needsHint = maxResultTokens > HOST_LIMIT_TOKENS && meta[RESULT_SIZE_META_KEY] === undefined
  if (outputSchema === undefined && !needsHint) return tool
  if (!needsHint) return others
  return { ...others, _meta: { ...meta, [RESULT_SIZE_META_KEY]: charactersOf(maxResultTokens) } }
}

const charactersOf = (tokens: number): number => Math.min(tokens * CHARACTERS_PER_TOKEN, MAX_RESULT_CHARACTERS)
