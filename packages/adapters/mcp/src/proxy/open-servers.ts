import type { Connection, ConnectionHandlers } from './connection.ts'
import { Upstream, type UpstreamEvent } from './upstream.ts'
import {
  ERROR_CODE,
  errorOf,
  fieldsOf,
  isRequest,
  isResponse,
  type Fields,
  type Message,
  type Request,
  type RequestId,
  type Response,
} from '../relay/message.ts'
import { readPages, UniqueItems } from '../relay/read-pages.ts'

/** One server of a proxy. */
export interface ProxiedServer {
  /** The name in messages and events. */
  readonly name: string
  /** The prefix of tools' and prompts' names if there are several servers. Defaults to the name and `_`. */
  readonly prefix?: string | undefined
  /** Makes a connection that is not started; called again for each restart. */
  readonly open: () => Connection
}

/** Options of {@link openServers}. */
export interface OpenServersOptions {
  /** Restart a server that ended, at most 5 times a minute. Defaults to `false`. */
  readonly restart?: boolean | undefined
  readonly onEvent?: ((event: UpstreamEvent) => void) | undefined
  /** The name and version of several servers together. Defaults to `{ name: 'spillway', version: '0.0.0' }`. */
  readonly info?: { readonly name: string; readonly version: string } | undefined
}

/**
 * Make the connection to one or several servers; it is not started.
 *
 * If a server ends, each open request is answered with an error. Tools and prompts of several servers have a prefix.
 *
 * @throws TypeError without a server, and if two have the same name or prefix.
 */
export function openServers(servers: readonly ProxiedServer[], options: OpenServersOptions = {}): Connection {
  const { restart = false, onEvent = () => {}, info = { name: 'spillway', version: '0.0.0' } } = options
  if (!Array.isArray(servers) || servers.length === 0) throw new TypeError('servers must have one server or more.')
  const opened = servers.map(({ name, prefix = `${name}_`, open }) => {
    return { name, prefix, connection: new Upstream({ name, restart, onEvent, open }) }
  })
  const [first] = opened
  if (first !== undefined && opened.length === 1) return first.connection
  for (const key of ['name', 'prefix'] as const)
    if (new Set(opened.map((server) => server[key])).size < opened.length)
      throw new TypeError(`Two servers have the same ${key}: their tools would be ambiguous.`)
  return new MergedServers(opened, info)
}

interface MergedServer {
  readonly name: string
  readonly prefix: string
  readonly connection: Connection
}

/** A request of a server, with its progress token. */
interface Origin {
  readonly server: MergedServer
  readonly id: RequestId
  readonly token: RequestId | undefined
}

type Answer = Omit<Message, 'id' | 'method'>

/** `key` is the field that identifies items. */
interface ItemList {
  readonly field: string
  readonly key: string
}

const LISTS: Readonly<Record<string, ItemList>> = {
  'tools/list': { field: 'tools', key: 'name' },
  'prompts/list': { field: 'prompts', key: 'name' },
  'resources/list': { field: 'resources', key: 'uri' },
  'resources/templates/list': { field: 'resourceTemplates', key: 'uriTemplate' },
  'tasks/list': { field: 'tasks', key: 'taskId' },
}
const TOLD_TO_ALL = new Set(['logging/setLevel', 'ping'])
const NAMED = new Set(['tools/call', 'prompts/get', 'completion/complete'])
/** Milliseconds for all pages of a list after the first. */
const PAGES_MS = 30_000

/**
 * Several servers as one: tools and prompts have prefixes, resources and tasks are side by side.
 *
 * A request that names an item goes to its server; an unknown one to the first server that answers it.
 */
export class MergedServers implements Connection {
  readonly #servers: readonly MergedServer[]
  readonly #info: { readonly name: string; readonly version: string }
  readonly #open = new Set<MergedServer>()
  /** Requests to servers, by their new ids. */
  readonly #asked = new Map<RequestId, (response: Response) => void>()
  /** The servers of the client's requests, for cancellation. */
  readonly #sent = new Map<RequestId, Map<MergedServer, RequestId>>()
  /** Requests of servers to the client, by their new ids, which are their new tokens, too. */
  readonly #origins = new Map<RequestId, Origin>()
  readonly #capabilities = new Map<MergedServer, Fields>()
  readonly #resourceOwners = new Map<string, MergedServer>()
  readonly #taskOwners = new Map<string, MergedServer>()
  #handlers: ConnectionHandlers | undefined
  #ids = 0

  constructor(servers: readonly MergedServer[], info: { readonly name: string; readonly version: string }) {
    this.#servers = servers
    this.#info = info
  }

  async start(handlers: ConnectionHandlers): Promise<void> {
    this.#handlers = handlers
    const { onError } = handlers
    const started = await Promise.allSettled(
      this.#servers.map(async (server) => {
        this.#open.add(server)
        await server.connection.start({
          onMessage: (message) => this.#receive(server, message),
          onClose: (reason) => this.#closed(server, reason),
          onError,
        })
      }),
    )
    const failed = started.find((result) => result.status === 'rejected')
    if (failed === undefined) return
    await this.close()
    throw failed.reason
  }

  async send(message: Message): Promise<void> {
    if (isRequest(message)) return this.#dispatch(message)
    if (isResponse(message)) return this.#answerServer(message)
    const { method, params } = message
    if (method === 'notifications/cancelled') return this.#cancel(message)
    const origin =
      method === 'notifications/progress' ? this.#origins.get(params?.['progressToken'] as RequestId) : undefined
    if (origin?.token !== undefined)
      return origin.server.connection.send({ ...message, params: { ...params, progressToken: origin.token } })
    await Promise.all(this.#servers.map(({ connection }) => connection.send(message)))
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(({ connection }) => connection.close()))
  }

  #dispatch(request: Request): void {
    const target = this.#route(request)
    if (target !== undefined) {
      // Synchronous, so that no later message of the server overtakes it.
      return this.#send(target.server, target.request, (response) => this.#respond(request, response))
    }
    void this.#answer(request).then(
      (response) => this.#respond(request, response),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        this.#respond(request, errorOf(request.id, ERROR_CODE.internal, message))
      },
    )
  }

  #respond({ id }: Request, response: Answer): void {
    this.#sent.delete(id)
    this.#handlers?.onMessage({ ...response, id })
  }

  #route(request: Request): { readonly server: MergedServer; readonly request: Request } | undefined {
    const { method, params = {} } = request
    const { name, uri, taskId } = params
    const ref = fieldsOf(params['ref'])
    if ((method === 'tools/call' || method === 'prompts/get') && typeof name === 'string') {
      const server = this.#serverOf(name)
      return (
        server && { server, request: { ...request, params: { ...params, name: name.slice(server.prefix.length) } } }
      )
    }
    if (method === 'completion/complete' && typeof ref['name'] === 'string') {
      const server = this.#serverOf(ref['name'])
      const own = { ...ref, name: ref['name'].slice(server?.prefix.length) }
      return server && { server, request: { ...request, params: { ...params, ref: own } } }
    }
    const server = this.#resourceOwners.get(String(uri ?? ref['uri'])) ?? this.#taskOwners.get(String(taskId))
    return server && { server, request }
  }

  async #answer(request: Request): Promise<Answer> {
    const { method, params = {} } = request
    const list = Object.hasOwn(LISTS, method) ? LISTS[method] : undefined
    if (list !== undefined) return this.#list(request, list)
    if (method === 'initialize' || method === 'server/discover') return this.#introduce(request)
    if (TOLD_TO_ALL.has(method)) {
      const answers = await Promise.all(this.#servers.map((server) => this.#ask(server, request)))
      return answers.find(({ result }) => result !== undefined) ?? { jsonrpc: '2.0', result: {} }
    }
    const name = params['name'] ?? fieldsOf(params['ref'])['name']
    return typeof name === 'string' && NAMED.has(method) ? unknownName(request, name) : this.#askInTurn(request)
  }

  /** Without an answer, the first refusal is returned. */
  async #askInTurn(request: Request): Promise<Answer> {
    let refusal: Response | undefined
    for (const server of this.#servers) {
      const response = await this.#ask(server, request)
      if (response.error === undefined) return response
      refusal = refusal === undefined || isUnknownMethod(refusal) ? response : refusal
    }
    return refusal ?? errorOf(request.id, ERROR_CODE.methodNotFound, 'Method not found')
  }

  async #list(request: Request, list: ItemList): Promise<Answer> {
    const { field } = list
    const lists = await Promise.all(this.#servers.map((server) => this.#listOf(server, request, list)))
    const known = lists.filter(({ items }) => items !== undefined)
    if (known.length === 0) return lists[0]?.response ?? { jsonrpc: '2.0', result: { [field]: [] } }
    const { nextCursor: _last, ...first } = fieldsOf(known[0]?.response.result)
    return { jsonrpc: '2.0', result: { ...first, [field]: known.flatMap(({ items = [] }) => items) } }
  }

  /** Reads the whole list, since cursors of several servers would be ambiguous. */
  async #listOf(
    server: MergedServer,
    request: Request,
    { field, key }: ItemList,
  ): Promise<{ readonly response: Response; readonly items?: readonly unknown[] }> {
    const { cursor: _cursor, ...params }: Fields = request.params ?? {}
    const items = new UniqueItems(key)
    const take = ({ [field]: found }: Fields): boolean => items.add(Array.isArray(found) ? found : [])
    const response = await this.#ask(server, { ...request, params })
    if (response.error !== undefined) return { response }
    const first = fieldsOf(response.result)
    const ask = (cursor: string): Promise<Response> => this.#ask(server, { ...request, params: { ...params, cursor } })
    if (take(first)) await readPages(first['nextCursor'], { ask, take, maxMs: PAGES_MS })
    return { response, items: items.values.flatMap((item) => this.#own(server, field, item)) }
  }

  /** An item whose name would reach another server is omitted. */
  #own(server: MergedServer, field: string, item: unknown): readonly unknown[] {
    const fields = fieldsOf(item)
    if (field === 'resources') this.#resourceOwners.set(String(fields['uri']), server)
    if (field === 'resourceTemplates') this.#resourceOwners.set(String(fields['uriTemplate']), server)
    if (field === 'tasks') this.#taskOwners.set(String(fields['taskId']), server)
    if (field !== 'tools' && field !== 'prompts') return [item]
    const name = `${server.prefix}${String(fields['name'])}`
    return this.#serverOf(name) === server ? [{ ...fields, name }] : []
  }

  /** Answer with the common capabilities, in the oldest revision. */
  async #introduce(request: Request): Promise<Answer> {
    const answers = await Promise.all(this.#servers.map((server) => this.#ask(server, request)))
    const known = answers.flatMap(({ result }) => (result === undefined ? [] : [fieldsOf(result)]))
    const [first] = known
    if (first === undefined || known.length < this.#servers.length)
      return answers.find(({ error }) => error !== undefined) ?? unknownName(request, 'server')
    this.#servers.forEach((server, index) => this.#capabilities.set(server, fieldsOf(known[index]?.['capabilities'])))
    const instructions = known.flatMap(({ instructions: text }, index) =>
      typeof text === 'string' && text !== '' ? [`# ${this.#servers[index]?.name ?? ''}\n\n${text}`] : [],
    )
    const versions = known
      .map(({ protocolVersion }) => protocolVersion)
      .filter((version) => typeof version === 'string')
    return {
      jsonrpc: '2.0',
      result: {
        ...first,
        ...(versions.length === 0 ? {} : { protocolVersion: versions.toSorted()[0] }),
        ...('supportedVersions' in first
          ? { supportedVersions: inAll(known.map((one) => one['supportedVersions'])) }
          : {}),
        capabilities: mergeFields(known.map((one) => fieldsOf(one['capabilities']))),
        ...('serverInfo' in first ? { serverInfo: this.#info } : {}),
        ...(instructions.length === 0 ? {} : { instructions: instructions.join('\n\n') }),
      },
    }
  }

  #ask(server: MergedServer, request: Request): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>()
    this.#send(server, request, resolve)
    return promise
  }

  #send(server: MergedServer, request: Request, settle: (response: Response) => void): void {
    const id = `spillway-${++this.#ids}`
    if (!this.#open.has(server))
      return settle(errorOf(id, ERROR_CODE.connectionClosed, `MCP server ${server.name} has ended.`))
    const sent = this.#sent.get(request.id) ?? new Map<MergedServer, RequestId>()
    this.#sent.set(request.id, sent.set(server, id))
    this.#asked.set(id, (response) => {
      const { taskId } = fieldsOf(fieldsOf(response.result)['task'])
      if (typeof taskId === 'string') this.#taskOwners.set(taskId, server)
      settle(response)
    })
    void server.connection.send({ ...request, id })
  }

  #receive(server: MergedServer, message: Message): void {
    if (isResponse(message)) {
      const settle = this.#asked.get(message.id)
      this.#asked.delete(message.id)
      settle?.(message)
    } else if (isRequest(message)) this.#handlers?.onMessage(this.#askClient(server, message))
    else if (message.method === 'notifications/cancelled') this.#cancelAtClient(server, message)
    else this.#handlers?.onMessage(message)
  }

  #askClient(server: MergedServer, request: Request): Message {
    const id = `${server.name}-${++this.#ids}`
    const meta = fieldsOf(request.params?.['_meta'])
    const token = meta['progressToken'] as RequestId | undefined
    this.#origins.set(id, { server, id: request.id, token })
    if (token === undefined) return { ...request, id }
    return { ...request, id, params: { ...request.params, _meta: { ...meta, progressToken: id } } }
  }

  async #answerServer(response: Response): Promise<void> {
    const origin = this.#origins.get(response.id)
    this.#origins.delete(response.id)
    await origin?.server.connection.send({ ...response, id: origin.id })
  }

  async #cancel(message: Message): Promise<void> {
    const sent = this.#sent.get(message.params?.['requestId'] as RequestId)
    for (const [{ connection }, requestId] of sent ?? [])
      await connection.send({ ...message, params: { ...message.params, requestId } })
  }

  /** The client knows its request by another id. */
  #cancelAtClient(server: MergedServer, message: Message): void {
    for (const [requestId, origin] of this.#origins)
      if (origin.server === server && origin.id === message.params?.['requestId'])
        this.#handlers?.onMessage({ ...message, params: { ...message.params, requestId } })
  }

  #closed(server: MergedServer, reason: string): void {
    this.#open.delete(server)
    if (this.#open.size === 0) return this.#handlers?.onClose(reason)
    for (const list of ['tools', 'prompts', 'resources'])
      if (fieldsOf(this.#capabilities.get(server)?.[list])['listChanged'] === true)
        this.#handlers?.onMessage({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` })
  }

  /** The server with the longest matching prefix. */
  #serverOf(name: string): MergedServer | undefined {
    let found: MergedServer | undefined
    for (const server of this.#servers)
      if (name.startsWith(server.prefix) && (found === undefined || server.prefix.length > found.prefix.length))
        found = server
    return found
  }
}

function unknownName({ id, method }: Request, name: string): Answer {
  return errorOf(id, ERROR_CODE.invalidParams, `${method}: there is no server for ${JSON.stringify(name)} here.`)
}

const isUnknownMethod = ({ error }: Message): boolean => fieldsOf(error)['code'] === ERROR_CODE.methodNotFound

function mergeFields(all: readonly Fields[]): Fields {
  const merged: Record<string, unknown> = {}
  for (const fields of all)
    for (const [key, value] of Object.entries(fields))
      merged[key] =
        Object.hasOwn(merged, key) && typeof value === 'object'
          ? mergeFields([fieldsOf(merged[key]), fieldsOf(value)])
          : value
  return merged
}

function inAll(lists: readonly unknown[]): readonly unknown[] {
  const [first, ...others] = lists.map((list): readonly unknown[] => (Array.isArray(list) ? list : []))
  return (first ?? []).filter((item) => others.every((list) => list.includes(item)))
}
