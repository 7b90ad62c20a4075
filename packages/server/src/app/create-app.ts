import { StorageError, type ContextOffloader } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'
import { assertArray, assertKnownOptions } from '@spillway/core/driver'
import { guardRequest, LOOPBACK_HOSTS, type AccessTokens } from '@spillway/core/http'
import type { Summarize } from '@spillway/history'
import { Hono, type Context } from 'hono'
import type { BodySpool } from '../body/receive-body.ts'
import { networkOf } from '../limits/connection-limit.ts'
import { rateLimiter } from '../limits/rate-limiter.ts'
import { WorkGate } from '../limits/work-gate.ts'
import { assertSettings, type ContextOffloadSettings } from '../reme/offload-settings.ts'
import { runRoute, type RouteServices } from '../routes/run-route.ts'
import type { Route } from '../routes/route.ts'
import { allRoutes } from '../routes/all-routes.ts'
import { faultRecord, type LogRecord, type RequestRecord } from '../telemetry/request-record.ts'
import { ServiceMetrics } from '../telemetry/service-metrics.ts'
import { Call, failureResponse, type CallEnvironment } from './call.ts'
import { describeFailure, HttpError } from './http-error.ts'
import { resolveLimits, type ServerLimits } from './server-limits.ts'
import { tenantsOf } from './tenants.ts'

/** Options of {@link createApp}. */
export interface AppOptions {
  /** Tokens and scopes of callers. With `'none'`, every client has access, so only this machine may connect. */
  readonly tokens: AccessTokens | 'none'
  /**
   * The root scope, by default `['default']`. It is used for callers without tokens, and scopes of tokens are below it.
   * `[]` is the whole storage.
   */
  readonly scope?: readonly string[] | undefined
  /** Allowed host names without ports. The loopback names are always allowed. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Limits of requests, memory, time and rate. Defaults to [these values](#limits). */
  readonly limits?: Partial<{ [Name in keyof ServerLimits]: number | undefined }> | undefined
  /** Function that asks a model for summaries. If absent, histories are only compacted. */
  readonly summarize?: Summarize | undefined
  /** Defaults of `POST /context_offload`. Defaults to ReMe's own defaults. */
  readonly contextOffload?: ContextOffloadSettings | undefined
  /** Called for every request and internal error. Records have no content, scopes, or tokens. */
  readonly log?: ((record: LogRecord) => void) | undefined
  /** Holds request bodies while they arrive. Defaults to memory. */
  readonly spool?: BodySpool | undefined
}

export const APP_OPTIONS: readonly string[] = [
  'tokens',
  'scope',
  'allowedHosts',
  'limits',
  'summarize',
  'contextOffload',
  'log',
  'spool',
] satisfies (keyof AppOptions)[]

/** A service that answers requests on any runtime. */
export interface App {
  /** Answer a request. Never rejects. */
  fetch(request: Request, environment?: CallEnvironment): Promise<Response>
  /** Refuse new requests, and resolve when the current ones are answered. */
  drain(): Promise<void>
  /** Abort the current requests. */
  abort(): void
}

/** The address of all interfaces. A client may use it as the name of this machine. */
const ANY_ADDRESS = '0.0.0.0'

type Environment = { Bindings: { readonly call: Call; readonly environment: CallEnvironment } }

/**
 * Create the HTTP service of an offloader. It runs on any runtime whose servers use `fetch`-like functions.
 *
 * `serve` of `@spillway/server/node` runs it on Node.js. The scopes of tokens isolate callers. `Host` and `Origin` are
 * checked, so that pages of other sites have no access.
 *
 * Without tokens, requests forwarded by a proxy are refused, because they may come from other machines.
 *
 * @throws TypeError if the storage cannot isolate scopes, or an option is missing or invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { createApp } from '@spillway/server'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: null })
 * const app = createApp(new ContextOffloader({ storage }), { tokens: 'none' })
 * const response = await app.fetch(new Request('http://localhost/health'))
 * console.assert((await response.text()) === '{"status":"healthy"}')
 * ```
 */
export function createApp(offloader: ContextOffloader, options: AppOptions): App {
  assertOffloader(offloader, 'createApp(offloader, options)')
  const tokens = tokensOf(options)
  assertKnownOptions(options, APP_OPTIONS, 'createApp')
  const { contextOffload, summarize, scope: base, allowedHosts = [] } = options
  for (const [name, list] of Object.entries({ scope: base ?? [], allowedHosts }))
    assertArray(list, `${name} must be an array of strings`)
  if (contextOffload !== undefined) assertSettings(contextOffload)
  const limits = resolveLimits(options.limits)
  const { maxConcurrent, maxUploads, maxQueued } = limits
  const work = new WorkGate(limits)
  const uploads = new WorkGate({ ...limits, maxConcurrent: maxUploads }, maxUploads * SLOW_SHARE)
  const models = new WorkGate({ ...limits, queueTimeoutMs: limits.workTimeoutMs }, maxConcurrent * SLOW_SHARE)
  const bodies = new WorkGate({ ...limits, maxConcurrent: Infinity }, maxConcurrent + maxQueued)
  const services: RouteServices = { limits, work, uploads, bodies, models, spool: options.spool }
  const hosts = [...LOOPBACK_HOSTS, ANY_ADDRESS, ...allowedHosts.map((name) => name.toLowerCase())]
  const metrics = new ServiceMetrics(work, () => underWay)
  const tenantOf = tenantsOf(offloader, (event) => metrics.offloaded(event))
  const countRequest = rateLimiter(limits)
  const hono = new Hono<Environment>()
  const ended = new AbortController()
  let underWay = 0
  let drained: PromiseWithResolvers<void> | undefined

  const admit = async (
    { headers, url }: Request,
    { call, environment }: Environment['Bindings'],
  ): Promise<readonly string[]> => {
    const checked = await guardRequest(withHost(headers, url), { allowedHosts: hosts, tokens })
    call.limitKey = `address ${networkOf(environment.address ?? '')}`
    if ('refused' in checked) {
      countRequest(call.limitKey)
      if (checked.refused !== 'token') throw new HttpError('forbidden', checked.message)
      throw new HttpError('unauthorized', checked.message, { headers: { 'www-authenticate': 'Bearer' } })
    }
    call.caller = checked.caller
    if (tokens !== undefined) call.limitKey = `token ${checked.caller.id}`
    countRequest(call.limitKey)
    environment.onAdmitted?.()
    return tokens === undefined ? (base ?? DEFAULT_SCOPE) : [...(base ?? []), ...checked.caller.scope]
  }

  const run = async (route: Route, { req, env }: Context<Environment>): Promise<Response> => {
    const { call, environment } = env
    call.route = route.path
    call.isReme = route.isReme === true
    // Unknown callers have a separate rate limit, so that they cannot slow down known callers.
    if (route.isPublic === true) countRequest(`public ${networkOf(environment.address ?? '')}`)
    const scope = route.isPublic === true ? undefined : await admit(req.raw, env)
    const timeout = AbortSignal.timeout(limits.workTimeoutMs)
    const signal = AbortSignal.any([req.raw.signal, ended.signal, timeout])
    // Requests of public routes have no caller.
    const context = { tenant: () => tenantOf(scope ?? ['public']), signal, headers: req.raw.headers, call }
    const routeCall = { request: req.raw, call, environment, query: req.query(), params: req.param(), context }
    return await runRoute(route, routeCall, services)
  }

  const methods = new Map<string, string[]>()
  for (const route of allRoutes(metrics, { summarize, contextOffload })) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    const method = route.method.toUpperCase()
    methods.set(path, [...(methods.get(path) ?? []), method])
    hono.on(method, path, (context) => run(route, context))
  }
  for (const [path, allowed] of methods) {
    hono.all(path, async ({ req, env }) => {
      await admit(req.raw, env)
      const allow = allowed.join(', ')
      throw new HttpError('method-not-allowed', `Use ${allow}.`, { headers: { allow } })
    })
  }
  hono.notFound(async ({ req, env }) => {
    await admit(req.raw, env)
    throw new HttpError('no-such-endpoint', 'Unknown endpoint. See /openapi.json.')
  })
  // `answer` handles all errors.
  hono.onError((error) => {
    throw error
  })

  const endedBy = (request: Request): HttpError | undefined => {
    if (ended.signal.aborted) return new HttpError('shutting-down', 'The service is shutting down.', { retryAfter: 1 })
    return request.signal.aborted ? new HttpError('request-timeout', 'The client has disconnected.') : undefined
  }
  const answer = async (request: Request, call: Call, environment: CallEnvironment): Promise<Response> => {
    try {
      if (drained !== undefined)
        throw new HttpError('shutting-down', 'The service is shutting down.', { retryAfter: 1, headers: CLOSE })
      return await hono.fetch(request, { call, environment })
    } catch (error) {
      // The client gets a response for any error.
      const failure = describeFailure(endedBy(request) ?? error)
      if (failure.code === 'internal' || (failure.status >= 500 && StorageError.isInstance(error)))
        options.log?.(faultRecord(error, call.requestId))
      const isUnread = request.body !== null && !call.isBodyTaken
      return await failureResponse(call, isUnread ? { ...failure, headers: { ...failure.headers, ...CLOSE } } : failure)
    }
  }

  return {
    async fetch(request, environment = {}) {
      const call = new Call()
      const begin = performance.now()
      underWay += 1
      const response = await answer(request, call, environment)
      response.headers.set('x-request-id', call.requestId)
      underWay -= 1
      if (underWay === 0) drained?.resolve()
      environment.onDone?.()
      const record = requestRecord(request, response, call, performance.now() - begin)
      metrics.answered(record)
      options.log?.(record)
      return response
    },
    async drain() {
      drained ??= Promise.withResolvers()
      if (underWay === 0) drained.resolve()
      await drained.promise
    },
    abort() {
      for (const gate of [work, uploads, bodies, models]) gate.close()
      ended.abort()
    },
  }
}

/** Share of the slots for uploads and models that one caller may use. Uploads and models may take minutes. */
const SLOW_SHARE = 0.25
const CLOSE = { connection: 'close' }

/** Require the option `tokens`: a JavaScript program that forgets it must not open the service to everyone. */
function tokensOf({ tokens }: Partial<AppOptions> = {}): AccessTokens | undefined {
  if (tokens === 'none') return undefined
  if (typeof tokens?.callerOf === 'function') return tokens
  throw new TypeError("tokens must be an AccessTokens of @spillway/core/http, or 'none' if only this machine connects.")
}

const DEFAULT_SCOPE: readonly string[] = ['default']
const KNOWN_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Add the host of the URL, because some runtimes omit the `Host` header. */
function withHost(headers: Headers, url: string): Headers {
  if (headers.has('host')) return headers
  const complete = new Headers(headers)
  complete.set('host', new URL(url).host)
  return complete
}

function requestRecord(request: Request, { status }: Response, call: Call, milliseconds: number): RequestRecord {
  const { requestId, route, bytesIn, bytesOut, caller, code } = call
  return {
    type: 'request',
    time: new Date().toISOString(),
    requestId,
    method: KNOWN_METHODS.has(request.method) ? request.method : 'OTHER',
    route,
    status,
    milliseconds: Math.round(milliseconds * 10) / 10,
    bytesIn,
    bytesOut,
    ...(caller !== undefined && caller.id !== '' && { caller: caller.id }),
    ...(code !== undefined && { code }),
  }
}
