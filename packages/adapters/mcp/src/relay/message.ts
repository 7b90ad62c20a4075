/** The messages of JSON-RPC 2.0 as a relay sees them. All other fields pass through. */

/** The id of a request and its response. */
export type RequestId = string | number

/** A JSON object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>

/** Any message of JSON-RPC 2.0. Unknown fields pass through. */
export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: RequestId
  readonly method?: string
  readonly params?: Fields
  readonly result?: unknown
  readonly error?: unknown
}

export interface Request extends Message {
  readonly id: RequestId
  readonly method: string
}

export interface Response extends Message {
  readonly id: RequestId
  readonly method?: never
}

/** Codes of JSON-RPC, and the SDKs' code for a closed connection. */
export const ERROR_CODE = {
  internal: -32_603,
  connectionClosed: -32_000,
} as const

/** Requests of revision 2026-07-28 and later name their revision. */
const PROTOCOL_VERSION_META_KEY = 'io.modelcontextprotocol/protocolVersion'

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const isRequestId = (id: unknown): id is RequestId => typeof id === 'string' || typeof id === 'number'

export const isMessage = (value: unknown): value is Message => fieldsOf(value)['jsonrpc'] === '2.0'

export const isRequest = (message: Message): message is Request =>
  typeof message.method === 'string' && isRequestId(message.id)

export const isResponse = (message: Message): message is Response =>
  message.method === undefined && isRequestId(message.id)

/** Methods whose results must name a cache time. */
const CACHEABLE = new Set(['resources/list', 'resources/read', 'resources/templates/list'])
const UNCACHED: Fields = { ttlMs: 0, cacheScope: 'private' }

export const namesRevision = ({ params }: Message): boolean =>
  typeof fieldsOf(params?.['_meta'])[PROTOCOL_VERSION_META_KEY] === 'string'

/** Answer a request in the form that its protocol revision requires. */
export function resultOf(request: Request, result: Fields): Message {
  const { id, method } = request
  if (!namesRevision(request)) return { jsonrpc: '2.0', id, result }
  const cached = CACHEABLE.has(method) ? UNCACHED : {}
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', ...cached, ...result } }
}

/** Repairs a response that clients and SDKs ignore, so that its request does not wait forever. */
export function repairResponse(response: Response): Response {
  const { jsonrpc, id, result, error } = response
  const { code, message } = fieldsOf(error)
  const isError = Number.isInteger(code) && typeof message === 'string'
  const isResult = error == null && Object(result) === fieldsOf(result)
  if ((isError || isResult) && Object.keys(response).length === 3) return response
  if (isError) return { jsonrpc, id, error }
  if (isResult) return { jsonrpc, id, result }
  return errorOf(id, ERROR_CODE.internal, 'The server answered with neither a result nor an error.')
}

export const errorOf = (id: RequestId, code: number, message: string): Response => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})
