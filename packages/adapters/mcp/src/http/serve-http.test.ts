import { request } from 'node:http'
import { AccessTokens } from '@spillway/core/http'
import { expect, onTestFinished, test } from 'vitest'
import { serveHttp, type HttpOptions } from './serve-http.ts'

/** Answer each request with its scope. */
async function serve(options: Partial<HttpOptions> = {}): Promise<URL> {
  const answer = async (_request: Request, scope: readonly string[]): Promise<Response> => Response.json(scope)
  const service = await serveHttp({ fetch: answer, onError() {}, ...options })
  onTestFinished(() => service.close())
  return new URL(service.url)
}

/** The status of a request with headers that `fetch` would not send. */
const statusOf = (
  { port, pathname }: URL,
  headers: Record<string, string>,
  path = pathname,
): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.once('error', reject).end()
  })

test('the HTTP server answers requests of this machine under each of its names, and requests of its own pages', async () => {
  const url = await serve()
  expect(url.hostname).toBe('127.0.0.1')
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    expect(await statusOf(url, { host: `${host}:${url.port}` })).toBe(200)
  expect(await statusOf(url, { origin: 'http://localhost:5173' })).toBe(200)
})

test.for<readonly [string, Record<string, string>]>([
  ['another host', { host: 'evil.example' }],
  ['a host that only begins with an allowed name', { host: 'localhost.evil.example' }],
  ['a page of another site', { origin: 'http://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
])('the HTTP server rejects a request of %s', async ([, headers]) => {
  expect(await statusOf(await serve(), headers)).toBe(403)
})

test('the HTTP server answers under allowed hosts', async () => {
  expect(await statusOf(await serve({ allowedHosts: ['mcp.example.com'] }), { host: 'mcp.example.com' })).toBe(200)
})

test('the HTTP server has only one path', async () => {
  const url = await serve({ path: '/other' })
  expect(await statusOf(url, {})).toBe(200)
  expect(await statusOf(url, {}, '/mcp')).toBe(404)
})

test('the HTTP server with tokens identifies callers, and refuses unknown callers', async () => {
  const tokens = new AccessTokens([{ token: 'a-token-of-many-characters', scope: ['tenant', 'a'] }])
  const url = await serve({ tokens })
  const stranger = await fetch(url)
  expect(stranger.status).toBe(401)
  expect(stranger.headers.get('www-authenticate')).toBe('Bearer')
  const headers = { authorization: 'Bearer a-token-of-many-characters', 'mcp-session-id': 'other', 'x-scope': 'other' }
  expect(await (await fetch(url, { headers })).json()).toEqual(['tenant', 'a'])
})

test('the HTTP server listens for other machines only with tokens', async () => {
  await expect(serve({ host: '0.0.0.0' })).rejects.toThrow('0.0.0.0 can be reached from other machines')
})

test('the HTTP server reports that a port is in use', async () => {
  const { port } = await serve()
  await expect(serve({ port: Number(port) })).rejects.toThrow(`Port ${port} at 127.0.0.1 is in use`)
})

test('the HTTP server continues if an answer fails', async () => {
  const errors: string[] = []
  let count = 0
  const url = await serve({
    fetch: async () => {
      if (count++ === 0) throw new Error('this one')
      return new Response('fine')
    },
    onError: ({ message }) => errors.push(message),
  })
  expect((await fetch(url)).status).toBe(500)
  expect(await (await fetch(url)).text()).toBe('fine')
})
