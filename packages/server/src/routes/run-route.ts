import { yieldWhenDue } from '@spillway/core/adapter'
import type { z } from 'zod'
import { jsonResponse, type Call, type CallEnvironment } from '../app/call.ts'
import { HttpError } from '../app/http-error.ts'
import type { ServerLimits } from '../app/server-limits.ts'
import { parseJsonBody } from '../body/parse-json-body.ts'
import { bodyTooLarge, declaredLength, receiveBody, timedChunks, type BodySpool } from '../body/receive-body.ts'
import type { Ticket, WorkGate } from '../limits/work-gate.ts'
import type { Reply, Route, RouteContext, RouteInput } from './route.ts'

/** Bytes of memory for each byte of a body, which exists as text, as values, and in the response. */
const MEMORY_PER_BYTE = 6
const MEMORY_OF_REQUEST = 1_048_576

export interface RouteServices {
  readonly limits: ServerLimits
  readonly work: WorkGate
  readonly uploads: WorkGate
  readonly bodies: WorkGate
  readonly models: WorkGate
  readonly spool: BodySpool | undefined
}

interface RouteCall {
  readonly request: Request
  readonly call: Call
  readonly environment: CallEnvironment
  readonly query: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string>>
  readonly context: Omit<RouteContext, 'chunks' | 'maxBytes' | 'isHead' | 'pause' | 'askModel' | 'reserve'>
}

/** Answer a request: receive its body, wait for a slot, validate, and run the handler. */
export async function runRoute(route: Route, routeCall: RouteCall, services: RouteServices): Promise<Response> {
  const { query, params } = routeCall
  const input = {
    query: route.query === undefined ? {} : validate(route.query, query, 'query'),
    params: route.params === undefined ? {} : validate(route.params, params, 'path'),
  }
  if (route.body !== undefined) return await runWithBody(route, route.body, input, routeCall, services)
  const run = (gate: WorkGate | undefined, chunks: AsyncIterable<Uint8Array>): Promise<Response> =>
    runWithin(gate, MEMORY_OF_REQUEST, routeCall, (ticket) =>
      route.handle({ ...input, body: undefined }, contextOf(routeCall, services, ticket, chunks)),
    )
  // The service must report its state even if it is overloaded, so these requests need no slot.
  if (route.tag === 'Service') return await run(undefined, none())
  if (route.takesContent === true) return await run(services.uploads, contentOf(routeCall, services))
  return await run(services.work, none())
}

async function runWithBody(
  route: Route,
  schema: NonNullable<Route['body']>,
  input: Omit<RouteInput, 'body'>,
  routeCall: RouteCall,
  services: RouteServices,
): Promise<Response> {
  const { request, call, context } = routeCall
  const { limits, spool, work, bodies } = services
  assertPlainJson(request)
  const receiving = { ...limits, maxBytes: limits.maxBodyBytes, spool, caller: call.limitKey }
  const received = await bodies.run(call.limitKey, () => receiveBody(request, receiving), context.signal)
  call.bytesIn = received.size
  call.isBodyTaken = true
  try {
    return await runWithin(work, received.size * MEMORY_PER_BYTE + MEMORY_OF_REQUEST, routeCall, async (ticket) => {
      const bytes = await received.read()
      await received.remove()
      const { parse, normalize = (value: unknown) => value } = route
      const json = normalize(await parseJsonBody(bytes, { ...limits, parse, caller: call.limitKey }))
      const { messages } = Object(json) as { readonly messages?: unknown }
      if (call.isReme && Array.isArray(messages)) call.messages = messages
      const body = validate(schema, json, 'body')
      return await route.handle({ ...input, body }, contextOf(routeCall, services, ticket, none()))
    })
  } finally {
    await received.remove()
  }
}

/** Return the streamed content of a request. @throws HttpError if it is encoded or too large. */
function contentOf({ request, call }: RouteCall, { limits }: RouteServices): AsyncIterable<Uint8Array> {
  assertNotEncoded(request)
  if (declaredLength(request) > limits.maxContentBytes) throw bodyTooLarge(limits.maxContentBytes)
  return request.body === null ? none() : counted(request.body, call, limits)
}

async function runWithin(
  gate: WorkGate | undefined,
  memory: number,
  { call, environment, context }: RouteCall,
  handle: (ticket: Ticket) => Promise<Reply>,
): Promise<Response> {
  const ticket = (await gate?.enter(call.limitKey, memory, context.signal)) ?? NO_TICKET
  try {
    // Otherwise several requests could run in one turn of the event loop, which accepts one connection in each turn.
    await yieldWhenDue(call.limitKey)
    const reply = await handle(ticket)
    if ('json' in reply) {
      const response = await jsonResponse(call, reply.json, reply.status)
      leaveWhenSent(ticket, call.bytesOut, environment)
      return response
    }
    leaveWhenSent(ticket, reply.memoryBytes, environment)
    return reply.response
  } catch (error) {
    // A failed response may contain the messages of the request.
    leaveWhenSent(ticket, call.messages.length === 0 ? 0 : call.bytesIn, environment)
    throw error
  }
}

const NO_TICKET: Ticket = { grow() {}, pause: async (waiting) => await waiting, finish() {}, leave() {} }

function leaveWhenSent(ticket: Ticket, bytes: number, { sent }: CallEnvironment): void {
  if (sent === undefined) {
    ticket.leave()
    return
  }
  ticket.finish(bytes)
  void Promise.allSettled([sent]).then(() => ticket.leave())
}

const contextOf = (
  { context, request, call }: RouteCall,
  { limits, models }: RouteServices,
  { grow, pause }: Ticket,
  chunks: AsyncIterable<Uint8Array>,
): RouteContext => ({
  ...context,
  chunks,
  maxBytes: limits.maxBodyBytes,
  isHead: request.method === 'HEAD',
  pause,
  askModel: (ask) => pause(models.run(call.limitKey, ask, context.signal)),
  reserve: (bytes) => grow(bytes * MEMORY_PER_BYTE),
})

async function* counted(
  body: ReadableStream<Uint8Array>,
  call: Call,
  limits: ServerLimits,
): AsyncGenerator<Uint8Array> {
  // A large body may take long to arrive.
  const options = { ...limits, bodyTimeoutMs: Infinity, maxBytes: limits.maxContentBytes }
  for await (const chunk of timedChunks(body, options)) {
    call.bytesIn += chunk.length
    yield chunk
  }
  call.isBodyTaken = true
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** Check the content type, because pages of other sites can send some types without a preflight request. */
function assertPlainJson(request: Request): void {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type))
    throw new HttpError('unsupported-media-type', 'Send the body as application/json.')
  assertNotEncoded(request)
}

function assertNotEncoded({ headers }: Request): void {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new HttpError('unsupported-media-type', 'Send the body without Content-Encoding.')
  if (!/^chunked$/i.test(headers.get('transfer-encoding') ?? 'chunked'))
    throw new HttpError('unsupported-media-type', 'Send the body with Content-Length or Transfer-Encoding: chunked.')
}

const MAX_ISSUES = 5

/** @throws HttpError `invalid-request` that names the invalid fields, but never contains their values. */
function validate<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const known = 'shape' in schema ? ` Known: ${Object.keys(Object(schema.shape)).join(', ')}.` : ''
  const error: z.core.$ZodErrorMap = (issue) => {
    if (issue.code === 'unrecognized_keys')
      return `Unknown field ${JSON.stringify(issue.keys[0])}.${issue.inst === schema ? known : ''}`
    return issue.code === 'invalid_type' && issue.input === undefined ? `missing (${issue.expected})` : undefined
  }
  const result = schema.safeParse(value, { error })
  if (result.success) return result.data
  const fields = new Map<string, string>()
  for (const { path, message } of result.error.issues.slice(0, MAX_ISSUES)) {
    const field = [...(what === 'body' && path.length > 0 ? [] : [what]), ...path].map(String).join('.').slice(0, 80)
    // Later problems of a field are consequences of the first.
    if (!fields.has(field)) fields.set(field, `${field}: ${message.slice(0, 200)}`)
  }
  throw new HttpError('invalid-request', `${[...fields.values()].join('. ')}.`.replaceAll('..', '.'))
}
