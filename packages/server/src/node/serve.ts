import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { ContextOffloader } from '@spillway/core'
import { assertKnownOptions, shown } from '@spillway/core/driver'
import type { AccessTokens } from '@spillway/core/http'
import { constants } from 'node:fs'
import { mkdtemp, open, rm, rmdir, type FileHandle } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { APP_OPTIONS, createApp, type App, type AppOptions } from '../app/create-app.ts'
import { HttpError } from '../app/http-error.ts'
import { timerMs } from '../app/server-limits.ts'
import type { BodySpool, SpooledBody } from '../body/receive-body.ts'
import { ConnectionLimit } from '../limits/connection-limit.ts'
import { faultRecord } from '../telemetry/request-record.ts'

/** Options of {@link serve}. */
export interface ServeOptions extends Omit<AppOptions, 'spool' | 'tokens'> {
  /** Tokens of the callers, with their scopes. If absent, only this machine has access. */
  readonly tokens?: AccessTokens | undefined
  /** The address to listen on. Addresses that other machines can reach need `tokens`. Defaults to `127.0.0.1`. */
  readonly host?: string | undefined
  /** The port to listen on. Defaults to 8002; 0 selects a free port. */
  readonly port?: number | undefined
  /** Time limit for the headers of a request, in milliseconds. Defaults to 10,000. */
  readonly headersTimeoutMs?: number | undefined
  /** Time limit for sending a response, in milliseconds, except for progress streams. Defaults to 300,000. */
  readonly responseTimeoutMs?: number | undefined
  /** Time limit of a connection without a running request, in milliseconds. Defaults to 120,000. */
  readonly silenceTimeoutMs?: number | undefined
  /**
   * Limit of concurrent connections. Defaults to 1,000. One address gets at most half of them. At the limit, a new
   * connection replaces a connection without an allowed request in progress.
   */
  readonly maxConnections?: number | undefined
  /** Limit of the size of all request bodies on disk together, in bytes. Defaults to 8 GiB. */
  readonly maxSpoolBytes?: number | undefined
  /** The folder for request bodies. Defaults to the system's temporary folder. */
  readonly spoolDirectory?: string | undefined
  /** Another service for requests to `path` and below it, with separate limits and checks. Defaults to none. */
  readonly mount?: (Pick<App, 'fetch'> & { readonly path: string }) | undefined
}

const LIMITS = [
  'headersTimeoutMs',
  'responseTimeoutMs',
  'silenceTimeoutMs',
  'maxConnections',
  'maxSpoolBytes',
] as const satisfies (keyof ServeOptions)[]
const OTHERS = ['host', 'port', 'spoolDirectory', 'mount'] satisfies (keyof ServeOptions)[]
const NAMES: readonly string[] = [...APP_OPTIONS.filter((name) => name !== 'spool'), ...OTHERS, ...LIMITS]

/** A listening service. */
export interface Service {
  readonly url: string
  /**
   * Stop accepting requests, wait up to `graceMs` (default 10,000) for current ones, and then abort them.
   *
   * Resolves when everything has ended. Calling `close` again has no effect.
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])
/** Number of requests after which a connection is closed, so that no connection stays open forever. */
const MAX_REQUESTS_PER_SOCKET = 10_000
const CHECK_MS = 1_000
const SWEEP_MS = 50
const LAST_WORDS_MS = 500

/**
 * Serve an offloader over HTTP on Node.js.
 *
 * Bodies are written to temporary files, slow clients are disconnected, and `close` waits for current requests. Rejects
 * if the address is unavailable. Throws a `TypeError` if other machines can reach the address and there are no tokens.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { serve } from '@spillway/server/node'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: null })
 * const service = await serve(new ContextOffloader({ storage }), { port: 0 })
 * const response = await fetch(`${service.url}/health`)
 * console.assert((await response.text()) === '{"status":"healthy"}')
 * await service.close()
 * ```
 */
export async function serve(offloader: ContextOffloader, options: ServeOptions = {}): Promise<Service> {
  assertKnownOptions(options, NAMES, 'serve')
  for (const name of LIMITS)
    if (options[name] !== undefined && !(typeof options[name] === 'number' && options[name] > 0))
      throw new TypeError(`${name} must be a positive number, got ${shown(options[name])}.`)
  const { host = '127.0.0.1', port = 8002, tokens, maxSpoolBytes = 8 * 1_073_741_824, spoolDirectory } = options
  if (!LOOPBACK.has(host) && tokens === undefined)
    throw new TypeError(`${host} can be reached from other machines. Set tokens, or listen on 127.0.0.1.`)
  await tokens?.ready()
  const spool = new FileSpool({ maxSpoolBytes, directory: spoolDirectory })
  const app = createApp(offloader, { ...appOptions(options), spool })
  const server = createNodeServer(app, options)
  await listen(server, host, port)
  const { address, family, port: bound } = server.address() as AddressInfo
  let closing: Promise<void> | undefined
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: ({ graceMs = 10_000 } = {}) => (closing ??= closeService(server, app, spool, graceMs)),
  }
}

function appOptions({ tokens, scope, allowedHosts, limits, summarize, contextOffload, log }: ServeOptions): AppOptions {
  return { tokens: tokens ?? 'none', scope, allowedHosts, limits, summarize, contextOffload, log }
}

function createNodeServer(app: App, options: ServeOptions): Server {
  const { responseTimeoutMs = 300_000, maxConnections = 1_000, log, mount } = options
  const headersTimeoutMs = timerMs(options.headersTimeoutMs ?? 10_000)
  const silenceMs = timerMs(options.silenceTimeoutMs ?? 120_000)
  const listener = getRequestListener(
    async (request, bindings) => {
      const { incoming, outgoing } = bindings as HttpBindings
      const sent = new Promise<void>((resolve) => outgoing.once('close', resolve))
      const { socket } = incoming
      // The app limits the time until the response begins.
      socket.setTimeout(0)
      const { pathname } = new URL(request.url)
      const isMounted = mount !== undefined && `${pathname}/`.startsWith(mount.path.replace(/\/?$/, '/'))
      const response = await (isMounted ? mount : app).fetch(request, {
        address: socket.remoteAddress,
        sent,
        onAdmitted: () => {
          const end = connections.begin(socket)
          void sent.then(end)
        },
        onDone: () => cutOffAfter(timerMs(responseTimeoutMs), outgoing, sent),
      })
      socket.setTimeout(silenceMs)
      return response
    },
    {
      // Called for a request that cannot be parsed, for example without a host.
      errorHandler: () => Response.json(refusal('invalid-request', 'The request is not valid HTTP.'), { status: 400 }),
    },
  )
  const connections = new ConnectionLimit<Socket>(maxConnections)
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      // The app limits the time of bodies.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(CHECK_MS, headersTimeoutMs),
      keepAliveTimeout: 5_000,
      maxHeaderSize: 16_384,
    },
    (incoming: IncomingMessage, outgoing: ServerResponse) => {
      lingerOnClose(incoming)
      listener(incoming, outgoing).catch((error: unknown) => {
        log?.(faultRecord(error))
        outgoing.destroy()
      })
    },
  )
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET
  server.on('connection', (socket) => connections.add(socket, socket.remoteAddress))
  server.setTimeout(silenceMs)
  server.on('clientError', refuseConnection)
  return server
}

function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, body] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', refusal('request-timeout', 'The request arrived too slowly.')]
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', refusal('too-large', 'The headers are too large.')]
        : ['400 Bad Request', refusal('invalid-request', 'This is not an HTTP request.')]
  const text = JSON.stringify(body)
  const headers = `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n${text}`)
}

const refusal = (code: string, message: string): object => ({ error: { code, message, retryable: false } })

function cutOffAfter(milliseconds: number, outgoing: HttpBindings['outgoing'], sent: Promise<void>): void {
  const timer = setTimeout(() => outgoing.destroy(), milliseconds).unref()
  void sent.then(() => clearTimeout(timer))
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE'
      reject(inUse ? new Error(`Port ${port} at ${host} is in use. Choose another.`, { cause: error }) : error)
    })
    server.listen(port, host, resolve)
  })
}

async function closeService(server: Server, app: App, spool: FileSpool, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const drained = app.drain()
  let cutOff: ReturnType<typeof setTimeout> | undefined
  const timer = setTimeout(() => {
    app.abort()
    // In this time, clients still receive the reason.
    cutOff = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS)
  }, timerMs(graceMs))
  // A connection is idle when its response was received, and is then closed.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  server.closeIdleConnections()
  await closed
  // Aborted requests end soon, or never.
  await Promise.race([drained, sleep(LAST_WORDS_MS, undefined, { ref: false })])
  clearInterval(sweep)
  clearTimeout(timer)
  clearTimeout(cutOff)
  app.abort()
  await spool.close()
}

const LINGER_MS = 1_000
const LINGER_BYTES = 67_108_864

/** Close a connection with unread bytes only after a delay: its reset may overtake the response (RFC 9112, 9.6). */
function lingerOnClose(incoming: IncomingMessage): void {
  const { socket } = incoming
  // The socket's own method may belong to an earlier request on the connection.
  const destroySoon = (): void => Socket.prototype.destroySoon.call(socket)
  // Node.js calls this method after the response if the connection is not reused.
  socket.destroySoon = () => {
    if (incoming.complete) {
      destroySoon()
      return
    }
    const start = socket.bytesRead
    const timer = setTimeout(destroySoon, LINGER_MS).unref()
    incoming.on('data', () => {
      if (socket.bytesRead - start > LINGER_BYTES) destroySoon()
    })
    incoming.once('end', destroySoon)
    socket.once('end', destroySoon)
    socket.once('close', () => clearTimeout(timer))
    socket.end()
    incoming.resume()
  }
}

interface FileSpoolOptions {
  readonly maxSpoolBytes: number
  readonly directory?: string | undefined
}

const RETRY_AFTER = 5
/** Share of the disk space for bodies that one caller may use. */
const CALLER_SHARE = 0.25

/** Holds bodies in temporary files. If the system allows it, the files are unlinked while they are open. */
export class FileSpool implements BodySpool {
  readonly #options: FileSpoolOptions
  /** Folders that are not removed yet. */
  readonly #folders = new Set<string>()
  readonly #callers = new Map<string, number>()
  #bytes = 0

  constructor(options: FileSpoolOptions) {
    this.#options = options
  }

  get bytes(): number {
    return this.#bytes
  }

  async open(caller: string): Promise<SpooledBody> {
    const folder = await withRoom(mkdtemp(join(this.#options.directory ?? tmpdir(), 'spillway-server-')))
    this.#folders.add(folder)
    try {
      const path = join(folder, 'body')
      const file = await withRoom(open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600))
      if (await losesNames(path, folder)) this.#folders.delete(folder)
      return this.#body(file, folder, caller)
    } catch (error) {
      await this.#removeFolder(folder)
      throw error
    }
  }

  /** Remove all remaining folders. */
  async close(): Promise<void> {
    await Promise.all([...this.#folders].map((folder) => this.#removeFolder(folder)))
  }

  #body(file: FileHandle, folder: string, caller: string): SpooledBody {
    let size = 0
    let isRemoved = false
    return {
      write: async (chunk) => {
        const { maxSpoolBytes } = this.#options
        const own = (this.#callers.get(caller) ?? 0) + chunk.length
        if (this.#bytes + chunk.length > maxSpoolBytes || own > maxSpoolBytes * CALLER_SHARE) throw full()
        this.#bytes += chunk.length
        this.#callers.set(caller, own)
        size += chunk.length
        await withRoom(file.writeFile(chunk))
      },
      read: async () => {
        const bytes = Buffer.allocUnsafeSlow(size)
        for (let filled = 0; filled < size;) {
          const { bytesRead } = await file.read(bytes, filled, size - filled, filled)
          if (bytesRead === 0) throw new Error('A temporary file was truncated.')
          filled += bytesRead
        }
        return bytes
      },
      remove: async () => {
        if (isRemoved) return
        isRemoved = true
        this.#bytes -= size
        const own = (this.#callers.get(caller) ?? 0) - size
        if (own > 0) this.#callers.set(caller, own)
        else this.#callers.delete(caller)
        await file.close()
        if (this.#folders.has(folder)) await this.#removeFolder(folder)
      },
    }
  }

  async #removeFolder(folder: string): Promise<void> {
    this.#folders.delete(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

async function losesNames(path: string, folder: string): Promise<boolean> {
  try {
    await rm(path)
    await rmdir(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!['EBUSY', 'EPERM', 'EACCES', 'ENOTEMPTY'].includes(code ?? '')) throw error
    return false
  }
}

const NO_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'])

async function withRoom<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw NO_ROOM.has((error as NodeJS.ErrnoException).code) ? full(error) : error
  }
}

const full = (cause?: unknown): HttpError =>
  new HttpError('overloaded', 'The memory for request bodies is used up. Try again later.', {
    retryAfter: RETRY_AFTER,
    cause,
  })
