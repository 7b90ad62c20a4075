import { StorageError, type ContextOffloader } from '@spillway/core'
import { guardRequest, LOOPBACK_HOSTS, type AccessTokens } from '@spillway/core/http'
import type { Summarize } from '@spillway/history'
import { Hono, type Context } from 'hono'
import type { BodySpool } from '../body/receive-body.ts'
import { RateLimiter } from '../limits/rate-limiter.ts'
import { WorkGate } from '../limits/work-gate.ts'
import { assertSettings, type ContextOffloadSettings } from '../reme/offload-settings.ts'
import { runRoute, type RouteServices } from '../routes/run-route.ts'
import type { Route } from '../routes/route.ts'
import { allRoutes } from '../routes/all-routes.ts'
import { faultRecord, type LogRecord, type RequestRecord } from '../telemetry/request-record.ts'
import { ServiceTelemetry } from '../telemetry/service-telemetry.ts'
import { failureResponse, newCall, type Call, type CallEnvironment } from './call.ts'
import { describeFailure, HttpError, type Failure } from './http-error.ts'
import { resolveLimits, type ServerLimits } from './server-limits.ts'
import { Tenants } from './tenants.ts'

/** Options of {@link createApp}. */
export interface AppOptions {
  /** Who may use it, and in which scope. Absent where only this machine reaches it. */
  readonly tokens?: AccessTokens | undefined
  /**
   * The scope that everything stays in: that of all callers without tokens, `['default']` if it is absent; with tokens,
   * what their scopes are below.
   */
  readonly scope?: readonly string[] | undefined
  /** Names that clients reach it by, without a port, beside those of the loopback interface. */
  readonly allowedHosts?: readonly string[] | undefined
  readonly limits?: Partial<{ [Name in keyof ServerLimits]: number | undefined }> | undefined
  /** Asks a model for summaries. Absent: histories are compacted, and not compressed. */
  readonly summarize?: Summarize | undefined
  /** Defaults of `POST /context_offload`, for requests that leave a field out. Absent: those of ReMe. */
  readonly contextOffload?: ContextOffloadSettings | undefined
  /** Called with every request and every fault. Nothing in it is content, a scope or a token. */
  readonly log?: ((record: LogRecord) => void) | undefined
  /** Where bodies are kept while they arrive. Absent: in memory. */
  readonly spool?: BodySpool | undefined
}

/** A service that answers requests, wherever they come from. */
export interface App {
  /** Answer a request. It always resolves. */
  fetch(request: Request, environment?: CallEnvironment): Promise<Response>
  /** Refuse new requests, and resolve when those under way are answered. */
  drain(): Promise<void>
  /** Abort what is under way. */
  abort(): void
}

/** Of an address that a service listens at for all interfaces, which is this machine where a client names it so. */
const ANY_ADDRESS = '0.0.0.0'

type Environment = { Bindings: { readonly call: Call; readonly environment: CallEnvironment } }

/**
 * Make the HTTP service over an offloader, for any runtime that has `fetch`-like servers; `serve` of
 * `@spillway/server/node` runs it on Node.js.
 *
 * Callers are walled off from each other by the scopes of their tokens. `Host` and `Origin` are checked, so that no page of
 * another site can use it.
 *
 * @throws TypeError where the offloader's storage cannot keep scopes apart, or an option is impossible.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { createApp } from '@spillway/server'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: null })
 * const app = createApp(new ContextOffloader({ storage }))
 * const response = await app.fetch(new Request('http://localhost/health'))
 * console.assert((await response.text()) === '{"status":"healthy"}')
 * ```
 */
export function createApp(offloader: ContextOffloader, options: AppOptions = {}): App {
  return new ServiceApp(offloader, options)
}

class ServiceApp implements App {
  readonly #options: AppOptions
  readonly #hosts: readonly string[]
  readonly #services: RouteServices
  readonly #telemetry: ServiceTelemetry
  readonly #tenants: Tenants
  readonly #rates: RateLimiter
  readonly #hono = new Hono<Environment>()
  readonly #ended = new AbortController()
  #underWay = 0
  #drained: PromiseWithResolvers<void> | undefined

  constructor(offloader: ContextOffloader, options: AppOptions) {
    const { contextOffload, summarize } = options
    if (contextOffload !== undefined) assertSettings(contextOffload)
    const limits = resolveLimits(options.limits)
    const work = new WorkGate(limits)
    const uploads = new WorkGate({ ...limits, maxConcurrent: limits.maxUploads, maxQueued: 0 })
    this.#options = options
    this.#hosts = [...LOOPBACK_HOSTS, ANY_ADDRESS, ...(options.allowedHosts ?? []).map((name) => name.toLowerCase())]
    this.#services = { limits, work, uploads, spool: options.spool }
    this.#telemetry = new ServiceTelemetry(work)
    this.#tenants = new Tenants(offloader, (event) => this.#telemetry.offloaded(event))
    this.#rates = new RateLimiter(limits)
    this.#addRoutes(allRoutes({ telemetry: this.#telemetry, summarize, contextOffload }))
    this.#hono.notFound(async ({ req, env }) => {
      await this.#admit(req.raw, env)
      throw new HttpError('no-such-endpoint', 'There is no such endpoint. See /openapi.json.')
    })
    // Answered where everything is.
    this.#hono.onError((error) => {
      throw error
    })
  }

  async fetch(request: Request, environment: CallEnvironment = {}): Promise<Response> {
    const call = newCall()
    const begin = performance.now()
    this.#underWay += 1
    return await this.#telemetry.request(request, async (span) => {
      const response = await this.#answer(request, call, environment)
      response.headers.set('x-request-id', call.requestId)
      const end = (): void => {
        this.#underWay -= 1
        if (this.#underWay === 0) this.#drained?.resolve()
        environment.onDone?.()
        const record = requestRecord(request, response, call, performance.now() - begin)
        this.#telemetry.answered(record, span)
        this.#options.log?.(record)
      }
      if (call.done === undefined) end()
      return { response, done: call.done && Promise.allSettled([call.done.then(end)]) }
    })
  }

  async drain(): Promise<void> {
    this.#drained ??= Promise.withResolvers()
    if (this.#underWay === 0) this.#drained.resolve()
    await this.#drained.promise
  }

  abort(): void {
    this.#services.work.close()
    this.#services.uploads.close()
    this.#ended.abort()
  }

  async #answer(request: Request, call: Call, environment: CallEnvironment): Promise<Response> {
    try {
      if (this.#drained !== undefined)
        throw new HttpError('shutting-down', 'The service is shutting down.', { retryAfter: 1, headers: CLOSE })
      return await this.#hono.fetch(request, { call, environment })
    } catch (error) {
      // Whatever it was, the client gets an answer.
      const failure = this.#describeFailure(error, request, call)
      const isUnread = request.body !== null && !call.isBodyTaken
      return failureResponse(call, isUnread ? { ...failure, headers: { ...failure.headers, ...CLOSE } } : failure)
    }
  }

  /** Say what a client is told; what is nobody's fault but the service's goes to the log. */
  #describeFailure(error: unknown, request: Request, { requestId }: Call): Failure {
    const failure = describeFailure(this.#endedBy(request) ?? error)
    if (failure.code === 'internal' || (failure.status >= 500 && StorageError.isInstance(error)))
      this.#options.log?.(faultRecord(error, requestId))
    return failure
  }

  /** Say why what a request needed was given up, where it was. */
  #endedBy(request: Request): HttpError | undefined {
    if (this.#ended.signal.aborted)
      return new HttpError('shutting-down', 'The service is shutting down.', { retryAfter: 1 })
    return request.signal.aborted ? new HttpError('request-timeout', 'The client went away.') : undefined
  }

  #addRoutes(routes: readonly Route[]): void {
    const methods = new Map<string, string[]>()
    for (const route of routes) {
      const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
      const method = route.method.toUpperCase()
      methods.set(path, [...(methods.get(path) ?? []), method])
      this.#hono.on(method, path, (context) => this.#run(route, context))
    }
    for (const [path, allowed] of methods) {
      this.#hono.all(path, async ({ req, env }) => {
        await this.#admit(req.raw, env)
        const allow = allowed.join(', ')
        throw new HttpError('method-not-allowed', `Use ${allow}.`, { headers: { allow } })
      })
    }
  }

  async #run(route: Route, { req, env }: Context<Environment>): Promise<Response> {
    const { call, environment } = env
    call.route = route.path
    call.isReme = route.isReme === true
    const scope = route.isPublic === true ? undefined : await this.#admit(req.raw, env)
    const timeout = AbortSignal.timeout(this.#services.limits.workTimeoutMs)
    const signal = AbortSignal.any([req.raw.signal, this.#ended.signal, timeout])
    const context = {
      // What strangers may see belongs to nobody.
      tenant: () => this.#tenants.of(scope ?? ['public']),
      telemetry: this.#telemetry,
      signal,
      describeFailure: (error: unknown) => this.#describeFailure(error, req.raw, call),
      headers: req.raw.headers,
      call,
    }
    const routeCall = { request: req.raw, call, environment, query: req.query(), params: req.param(), context }
    return await runRoute(route, routeCall, this.#services)
  }

  /** Let a caller pass who may call, and return the scope to work in. No byte of the body is read before. */
  async #admit({ headers, url }: Request, { call, environment }: Environment['Bindings']): Promise<readonly string[]> {
    const { tokens, scope: base } = this.#options
    const guarded = await guardRequest(withHost(headers, url), { allowedHosts: this.#hosts, tokens })
    const address = `address ${environment.address ?? ''}`
    if ('refused' in guarded) {
      this.#rates.take(address)
      if (guarded.refused !== 'token') throw new HttpError('forbidden', guarded.message)
      throw new HttpError('unauthorized', guarded.message, { headers: { 'www-authenticate': 'Bearer' } })
    }
    call.caller = guarded.caller
    this.#rates.take(tokens === undefined ? address : `token ${guarded.caller.id}`)
    return tokens === undefined ? (base ?? DEFAULT_SCOPE) : [...(base ?? []), ...guarded.caller.scope]
  }
}

const CLOSE = { connection: 'close' }
const DEFAULT_SCOPE: readonly string[] = ['default']
const KNOWN_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Some runtimes have the host in the URL alone. */
function withHost(headers: Headers, url: string): Headers {
  if (headers.has('host')) return headers
  const known = new Headers(headers)
  known.set('host', new URL(url).host)
  return known
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
