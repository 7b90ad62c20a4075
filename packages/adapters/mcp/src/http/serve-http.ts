import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { guardRequest, LOOPBACK_HOSTS, type AccessTokens } from '@spillway/core/http'

/** Options of {@link serveHttp}. */
export interface HttpOptions {
  /** The address to listen at. Defaults to `127.0.0.1`; addresses beyond the loopback interface need `tokens`. */
  readonly host?: string | undefined
  /** Defaults to 0, any free port. */
  readonly port?: number | undefined
  /** The path of the endpoint. Defaults to `/mcp`. */
  readonly path?: string | undefined
  /** Allowed host names without a port, in addition to the names of the loopback interface. */
  readonly allowedHosts?: readonly string[] | undefined
  readonly tokens?: AccessTokens | undefined
  /** Answers a request. `scope` is the caller's scope, or `[]` without tokens. */
  readonly fetch: (request: Request, scope: readonly string[]) => Promise<Response>
  readonly onError: (error: Error) => void
}

/** A running service. */
export interface HttpService {
  readonly url: string
  /** Stop listening and end open connections. */
  close(): Promise<void>
}

const JSON_RPC_CODES = { host: -32_000, origin: -32_000, forwarded: -32_000, token: -32_001 } as const

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/**
 * Serve an MCP endpoint over HTTP to callers with a bearer token. Without tokens, only this machine can reach the
 * endpoint. Checks `Host` and `Origin`.
 *
 * Rejects if it cannot listen. Rejects with a `TypeError` if other machines can reach the address and there are no
 * tokens.
 *
 * @example
 * ```ts
 * import { AccessTokens, serveHttp } from '@spillway/mcp/http'
 *
 * const tokens = new AccessTokens([{ token: 'a-long-random-token-1', scope: ['tenant-1'] }])
 * const fetchScope = async (_request: Request, scope: readonly string[]) => new Response(scope.join('/'))
 * const service = await serveHttp({ tokens, fetch: fetchScope, onError() {} })
 * const headers = { authorization: 'Bearer a-long-random-token-1' }
 * console.assert((await (await fetch(service.url, { headers })).text()) === 'tenant-1')
 * console.assert((await fetch(service.url)).status === 401)
 * await service.close()
 * ```
 */
export async function serveHttp(options: HttpOptions): Promise<HttpService> {
  const { host = '127.0.0.1', port = 0, path = '/mcp', tokens, fetch, onError, allowedHosts = [] } = options
  if (!LOOPBACK.has(host) && tokens === undefined)
    throw new TypeError(`${host} can be reached from other machines. Set tokens, or listen on 127.0.0.1.`)
  await tokens?.ready()
  const guards = { allowedHosts: [...LOOPBACK_HOSTS, ...allowedHosts], tokens }
  const handler = toNodeHandler({
    async fetch(request: Request) {
      if (new URL(request.url).pathname !== path) return new Response(`MCP is served at ${path}.\n`, { status: 404 })
      // Pages of other sites cannot forge `Host` and `Origin`.
      const guarded = await guardRequest(request.headers, guards)
      if ('caller' in guarded) return await fetch(request, guarded.caller.scope)
      const { refused, status, message } = guarded
      const headers: Record<string, string> = refused === 'token' ? { 'www-authenticate': 'Bearer' } : {}
      const error = { code: JSON_RPC_CODES[refused], message }
      return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers })
    },
  })
  const server = createServer((request, response) => {
    Promise.resolve(handler(request as Parameters<typeof handler>[0], response)).catch((error: unknown) => {
      onError(error instanceof Error ? error : new Error(String(error)))
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  await listen(server, host, port)
  const { address, family, port: bound } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}${path}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
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
