import {
  ContextOffloader,
  estimateTokens,
  scopeOf,
  StorageError,
  type EventJournal,
  type RetrievalCall,
  type RetrievedTable,
  type Storage,
} from '@spillway/core'
import { assertKnownOptions, BoundedMap, scopePathOf } from '@spillway/core/driver'
import { guardRequest, LOOPBACK_HOSTS } from '@spillway/core/http'
import { createApp, type App, type CallEnvironment } from '@spillway/server'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeScope, EntrySnapshot } from './entry-snapshot.ts'
import { listRetrievals, reportMeter } from './journal-report.ts'
import { describePreview } from './describe-preview.ts'

/** Options of {@link createInspector}. */
export interface InspectorOptions {
  /** The storage whose entries are shown. */
  readonly storage: Storage
  /** Segments of the scope to show, with the scopes below it. Defaults to the whole storage. */
  readonly scope?: readonly string[] | undefined
  /** Journal that contains totals, histories of entries, and evictions. Defaults to none. */
  readonly journal?: Pick<EventJournal, 'read'> | undefined
  /** Path under which the page is mounted. Defaults to `/`. */
  readonly path?: string | undefined
  /** Whether the page may remove entries. Defaults to `false`. */
  readonly allowDelete?: boolean | undefined
  /** Writes a call of the retrieval tool as a command. `below` has the segments below `scope`. Defaults to none. */
  readonly formatCommand?: ((call: RetrievalCall, below: readonly string[]) => string) | undefined
}

type Name = keyof InspectorOptions
const NAMES: readonly Name[] = ['storage', 'scope', 'journal', 'path', 'allowDelete', 'formatCommand']

/** A page that shows the entries of a storage. */
export interface Inspector {
  /** The path of the page, with a slash at the end. */
  readonly path: string
  /** Return the URL of the page, with the token, for an origin. Anyone with this token can read all entries. */
  url(origin: string): string
  /** Answer a request. Never rejects. */
  fetch(request: Request, environment?: CallEnvironment): Promise<Response>
}

/** Folder of the built page. The relative path is the same in the sources and in a published package. */
const PAGE = join(import.meta.dirname, '../dist/page')
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}
/** Content security policy: only the files of the page are loaded, and stored content is never executed. */
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'connect'].map((kind) => `${kind}-src 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}
const STATUS: Readonly<Record<string, number>> = {
  'not-found': 404,
  evicted: 410,
  'invalid-reference': 400,
  'invalid-key': 400,
  unsupported: 501,
  unavailable: 503,
}
const MAX_PAGE = 500
const MAX_SCOPES = 64
const DEFAULT_ANSWER_TOKENS = 2_500

/**
 * Create the page of a storage, for `serve` of `@spillway/server/node` or any server that uses `fetch`.
 *
 * Only this machine may reach it, and only with the token of its URL. Content is shown as text, and never executed.
 *
 * @throws TypeError if the storage cannot list entries. StorageError `unsupported` if it has no scopes and `scope` is
 *   given.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { createInspector } from '@spillway/inspector'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { serve } from '@spillway/server/node'
 *
 * const storage = new InMemoryStorage()
 * const inspector = createInspector({ storage, path: '/inspector' })
 * const service = await serve(new ContextOffloader({ storage }), { port: 0, mount: inspector })
 * console.assert((await fetch(`${service.url}/inspector/`)).status === 401)
 * console.assert(inspector.url(service.url).startsWith(`${service.url}/inspector/?token=`))
 * await service.close()
 * ```
 */
export function createInspector(options: InspectorOptions): Inspector {
  assertKnownOptions(options, NAMES, 'createInspector')
  const ownToken = randomBytes(24).toString('hex')
  /** Each inspector has its own cookie name, because all ports of a host share their cookies. */
  const cookieName = `spillway_inspector_${randomBytes(4).toString('hex')}`
  const apps = new BoundedMap<string, Promise<App>>(MAX_SCOPES)
  let snapshot: Promise<EntrySnapshot> | undefined
  const { storage, scope = [], journal, path = '/', allowDelete } = options
  const ownStorage = scope.length === 0 ? storage : scopeOf(storage, scope)
  if (ownStorage?.list === undefined)
    throw new TypeError('storage must have list(). Use a backend of Spillway, or make one with createStorage().')
  const root = path.replace(/\/?$/, '/')

  function url(origin: string): string {
    return `${new URL(root, origin).href}?token=${ownToken}`
  }

  async function fetch(request: Request, environment: CallEnvironment = {}): Promise<Response> {
    try {
      const response = (await refusalOf(request)) ?? (await answer(request, environment))
      for (const [name, value] of Object.entries(HEADERS))
        if (!response.headers.has(name)) response.headers.set(name, value)
      return response
    } catch (error) {
      return failure(error)
    } finally {
      environment.onDone?.()
    }
  }

  /** Check the host, the origin, and the token, in this order. */
  async function refusalOf({ headers, url, method }: Request): Promise<Response | undefined> {
    const { host, pathname, searchParams } = new URL(url)
    const known = new Headers(headers)
    if (!known.has('host')) known.set('host', host)
    const guarded = await guardRequest(known, { allowedHosts: LOOPBACK_HOSTS })
    if ('refused' in guarded) return refusal(guarded.status, guarded.refused, guarded.message)
    const origin = headers.get('origin')
    const site = headers.get('sec-fetch-site') ?? 'none'
    const isNavigation = headers.get('sec-fetch-mode') === 'navigate' && pathname === root && method === 'GET'
    // For cookies, pages at other ports of this machine are the same site, so the origin is compared, too.
    const isForeign = origin !== null && (!URL.canParse(origin) || new URL(origin).host !== known.get('host'))
    if (isForeign || (site !== 'same-origin' && site !== 'none' && !isNavigation))
      return refusal(403, 'origin', 'Only the page of the inspector may send this request.')
    if (method !== 'GET' && method !== 'HEAD' && headers.get('x-spillway-inspector') !== '1')
      return refusal(403, 'header', 'The header x-spillway-inspector is missing.')
    const token = searchParams.get('token')
    if (pathname === root && token !== null && isSame(token, ownToken)) {
      const attributes = `Path=${root}; HttpOnly; SameSite=Strict`
      const cookie = `${cookieName}=${ownToken}; ${attributes}`
      return new Response(null, { status: 303, headers: { location: root, 'set-cookie': cookie } })
    }
    const cookies = (headers.get('cookie') ?? '').split(/; */)
    const given = cookies.find((one) => one.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1)
    if (given !== undefined && isSame(given, ownToken)) return undefined
    return refusal(401, 'token', 'Open the URL with the token that was printed when the inspector started.')
  }

  async function answer(request: Request, environment: CallEnvironment): Promise<Response> {
    environment.onAdmitted?.()
    const { pathname, searchParams } = new URL(request.url)
    const name = pathname.slice(root.length)
    if (!name.startsWith('api/')) return await pageFile(name === '' ? 'index.html' : name)
    const call = { request, environment, query: searchParams, scope: searchParams.get('scope') ?? '' }
    switch (`${request.method} ${name.slice(4)}`) {
      case 'GET info':
        return Response.json({ allowDelete: allowDelete === true, hasJournal: journal !== undefined, scope })
      case 'GET entries':
        return await entries(call)
      case 'GET entry':
        return await forward(call, `/v1/entries/${referenceOf(call)}`)
      case 'GET content':
      case 'HEAD content':
        return await forward(call, `/v1/entries/${referenceOf(call)}/content`)
      case 'GET lines':
        return Response.json(await lines(call))
      case 'POST preview':
        return Response.json(await describePreview(await storageOf(call.scope), await request.json(), request.signal))
      case 'POST retrieve':
        return await retrieve(call)
      case 'GET history':
        return Response.json(await history(call))
      case 'GET meter':
        return Response.json(await meter())
      case 'DELETE entry':
      case 'DELETE entries':
        return await remove(call, name === 'api/entries')
      default:
        return refusal(404, 'no-such-endpoint', 'There is no such endpoint.')
    }
  }

  async function entries({ query }: ApiCall): Promise<Response> {
    const [limit, offset] = [Math.min(MAX_PAGE, Number(query.get('limit') ?? 100)), Number(query.get('offset') ?? 0)]
    const snapshot = await entrySnapshot()
    const cursor = query.get('cursor')
    if (cursor !== null) {
      const part = snapshot.part(cursor, offset, limit)
      return part === undefined ? refusal(410, 'evicted', 'This list is no longer available.') : Response.json(part)
    }
    const text = (name: string): string | undefined => query.get(name) ?? undefined
    const since = query.get('since') === null ? undefined : Number(query.get('since'))
    const descending = query.get('order') !== 'ascending'
    const filter = { text: text('text'), tool: text('tool'), type: text('type'), scope: text('scope'), since }
    return Response.json(await snapshot.page({ ...filter, sort: text('sort'), descending }, limit))
  }

  /** Return the number of line ends in each block of 64 KiB. The page uses it to find lines with range reads. */
  async function lines(call: ApiCall): Promise<object> {
    const storage = await storageOf(call.scope)
    const content = await storage.open!(referenceOf(call))
    try {
      const index = await content.lineIndex!()
      const blocks = Array.from({ length: index.blocks }, (_, block) => [index.startOf(block), index.lineEndsIn(block)])
      return { size: content.size, lines: index.lines, blocks, omitted: index.omitted }
    } finally {
      await content.close()
    }
  }

  async function retrieve(call: ApiCall): Promise<Response> {
    const text = await call.request.text()
    const response = await forward(call, '/v1/retrieve', text)
    const answer = (await response.json()) as {
      readonly content?: readonly { readonly type: string; readonly text?: string; readonly mediaType?: string }[]
      readonly table?: RetrievedTable
      readonly error?: { readonly code: string; readonly message: string }
    }
    const { table } = answer
    const shown = answer.error === undefined ? undefined : `Error: ${answer.error.message}`
    const blocks = answer.content ?? []
    const said = shown ?? blocks.map(({ type, text, mediaType }) => text ?? `[${type}: ${mediaType}]`).join('\n')
    const input = JSON.parse(text) as RetrievalCall
    const below = decodeScope(call.scope)
    const command = below && options.formatCommand?.(input, below)
    return Response.json({ text: said, table, tokens: estimateTokens(said), isError: shown !== undefined, command })
  }

  async function history(call: ApiCall): Promise<object> {
    if (journal === undefined) return { retrievals: [] }
    const path = await scopePathOf(await storageOf(call.scope))
    return { retrievals: await listRetrievals(journal, path, referenceOf(call)) }
  }

  async function meter(): Promise<object> {
    if (journal === undefined)
      throw new StorageError('unsupported', 'There is no journal, so there are no figures. Set the option journal.')
    return await reportMeter(journal, scope, await scopePathOf(ownStorage))
  }

  async function remove(call: ApiCall, isWhole: boolean): Promise<Response> {
    if (allowDelete !== true)
      return refusal(403, 'forbidden', 'Removing is not allowed: start the inspector with --allow-delete.')
    const reference = isWhole ? undefined : referenceOf(call)
    let removed = 1
    if (reference === undefined) removed = await (await storageOf(call.scope)).clear!()
    else {
      const response = await forward(call, `/v1/entries/${reference}`)
      if (!response.ok) return response
    }
    ;(await entrySnapshot()).forget(call.scope, reference)
    return Response.json({ removed })
  }

  /** Answer with a route of the service, in the scope of the call. */
  async function forward(
    { request, environment, scope, query }: ApiCall,
    path: string,
    body?: string,
  ): Promise<Response> {
    const limit = Number(query.get('tokens') ?? DEFAULT_ANSWER_TOKENS)
    const key = `${limit} ${scope}`
    const app = apps.get(key) ?? appOf(scope, limit)
    apps.set(key, app)
    const { headers, method, signal, url } = request
    const { address, sent } = environment
    const forwarded = new Request(new URL(path, url), { headers, method, signal, body: body ?? null })
    return await (await app).fetch(forwarded, { address, sent })
  }

  async function appOf(scope: string, maxRetrievalTokens: number): Promise<App> {
    const storage = await storageOf(scope)
    const limits = { requestsPerSecond: Infinity, requestBurst: Infinity }
    // Without a journal, because reads by a person must not count as reads by the agent.
    return createApp(new ContextOffloader({ storage, maxRetrievalTokens }), { tokens: 'none', scope: [], limits })
  }

  async function storageOf(scope: string): Promise<Storage> {
    if (scope === '') return ownStorage
    const storage = ownStorage as Storage & { scopeAt?(path: string): Promise<Storage> }
    if (storage.scopeAt === undefined) throw new StorageError('unsupported', 'This storage has no child scopes.')
    return await storage.scopeAt(scope)
  }

  function entrySnapshot(): Promise<EntrySnapshot> {
    snapshot ??= (async () => new EntrySnapshot(ownStorage, await scopePathOf(ownStorage), journal))()
    return snapshot
  }

  return { path: root, url, fetch }
}

interface ApiCall {
  readonly request: Request
  readonly environment: CallEnvironment
  readonly query: URLSearchParams
  readonly scope: string
}

const referenceOf = ({ query }: ApiCall): string => {
  const reference = query.get('reference') ?? ''
  if (/^\w{1,64}$/.test(reference)) return reference
  throw new StorageError('invalid-reference', 'reference must be the reference of an entry.')
}

async function pageFile(name: string): Promise<Response> {
  const type = TYPES[/^[\w-]+\.(html|js|css)$/.exec(name)?.[1] ?? '']
  if (type === undefined) return refusal(404, 'no-such-file', 'There is no such file.')
  try {
    return new Response(await readFile(join(PAGE, name)), { headers: { 'content-type': type } })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return refusal(404, 'no-such-file', 'There is no such file. In the repository, build @spillway/inspector first.')
  }
}

function failure(error: unknown): Response {
  if (StorageError.isInstance(error)) return refusal(STATUS[error.code] ?? 500, error.code, error.message)
  if (error instanceof SyntaxError || error instanceof TypeError) return refusal(400, 'invalid-request', error.message)
  return refusal(500, 'internal', 'The inspector failed.')
}

const refusal = (status: number, code: string, message: string): Response =>
  Response.json({ error: { code, message } }, { status, headers: HEADERS })

/** Compare texts in constant time. */
const isSame = (given: string, token: string): boolean => timingSafeEqual(digestOf(given), digestOf(token))

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
