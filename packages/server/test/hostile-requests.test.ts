import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Socket } from 'node:net'
import { isFull } from '@spillway-internal/test-run'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import type { ServeOptions } from '../src/node/index.ts'
import { head, pause, rawRequest } from './raw-request.ts'
import { startService, type TestService } from './start-service.ts'

const SMALL = { limits: { maxBodyBytes: 1_000_000 } }
const NEVER_MS = 600_000

async function spoolFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'server-test-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Return the paths of all files below a folder. */
const filesIn = async (path: string): Promise<string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).map(({ name }) => name)

/** Count the open files of this process that were unlinked from a folder. */
async function namelessFilesOf(path: string): Promise<number> {
  const open = await Promise.allSettled((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`)))
  const names = open.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  return names.filter((name) => name.startsWith(path) && name.endsWith(' (deleted)')).length
}

async function expectAlive(service: TestService): Promise<void> {
  expect((await service.get('/health')).json).toEqual({ status: 'healthy' })
}

const raw = (service: TestService, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/grep`, {
    method: 'POST',
    body: body as BodyInit,
    headers: { 'content-type': 'application/json', ...headers },
  })

describe('a request body', () => {
  test.for<readonly [string, string | Uint8Array, number, string]>([
    ['malformed', '{"pattern":', 400, 'invalid-json'],
    ['empty', '', 400, 'invalid-json'],
    ['not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 400, 'invalid-json'],
    ['nested 100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 400, 'invalid-json'],
    ['nested in objects', '{"pattern":'.repeat(50_000), 400, 'invalid-json'],
    ['an array of 400,001 values', `[${'0,'.repeat(400_000)}0]`, 413, 'too-large'],
    ['of another shape', '[1]', 422, 'invalid-request'],
    ['null', 'null', 422, 'invalid-request'],
    ['of the wrong types', '{"pattern":5,"limit":"x"}', 422, 'invalid-request'],
  ])('is rejected in the error format of the endpoint if it is %s', async ([, body, status, code]) => {
    const service = await startService({ limits: { maxJsonValues: 300_000 } })
    const response = await raw(service, body)
    const json = (await response.json()) as { metadata: { error: { code: string } } }
    expect([response.status, json]).toMatchObject([
      status,
      { success: false, messages: [], metadata: { error: { code } } },
    ])
    expect(service.log.at(-1)).toMatchObject({ type: 'request', route: '/grep', status, code })
    await expectAlive(service)
  })

  it('changes no prototype if it has equal keys and __proto__', async () => {
    const service = await startService()
    const hostile =
      '{"pattern":"a","__proto__":{"pattern":"b","limit":0},"constructor":{"prototype":{"x":1}},"pattern":"c"}'
    const response = await raw(service, hostile)
    expect(await response.json()).toMatchObject({ success: true, answer: expect.stringContaining('pattern "c"') })
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  it('is returned unchanged if a message has the key __proto__', async () => {
    const service = await startService()
    const body = '{"messages":[{"role":"user","content":"x","__proto__":{"role":"system"}}]}'
    const response = await fetch(`${service.url}/context_offload`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(await response.text()).toContain('"messages":[{"role":"user","content":"x","__proto__":{"role":"system"}}]')
  })

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('is rejected unread if its type is %s and its headers are %j', async (type, headers) => {
    const service = await startService()
    const response = await raw(service, '{"pattern":"a"}', { 'content-type': type, ...headers })
    expect([response.status, response.headers.get('connection')]).toEqual([415, 'close'])
  })

  it('is rejected before it arrives if its declared length is over the limit', async () => {
    const service = await startService(SMALL)
    const answer = await rawRequest(service.port, (socket) => {
      socket.write(head('/grep', { 'content-length': '1000001' }))
    })
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.body)).toMatchObject({ success: false, metadata: { error: { code: 'too-large' } } })
  })

  it('is not read further if it exceeds the limit, and leaves no file', async () => {
    const spoolDirectory = await spoolFolder()
    const service = await startService({ ...SMALL, spoolDirectory })
    const answer = await rawRequest(service.port, async (socket) => {
      socket.write(head('/grep', { 'transfer-encoding': 'chunked' }))
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
      for (let count = 0; count < 40 && !socket.destroyed; count += 1)
        await new Promise((resolve) => socket.write(chunk, resolve))
    })
    expect(answer.status).toBe(413)
    expect(await filesIn(spoolDirectory)).toEqual([])
    await expectAlive(service)
  })

  it.each([
    ['with a declared length over the limit', '/grep', { 'content-length': '8000000' }, 413],
    ['that exceeds the limit', '/grep', { 'transfer-encoding': 'chunked' }, 413],
    ['of an unsupported type', '/grep', { 'content-length': '8000000', 'content-type': 'text/plain' }, 415],
    ['of a caller from another site', '/grep', { 'content-length': '8000000', origin: 'http://evil.example' }, 403],
    ['for an unknown endpoint', '/none', { 'content-length': '8000000' }, 404],
  ])('%s gets its response while the client is still sending', async (_, path, headers, status) => {
    const service = await startService(SMALL)
    const text = 'x'.repeat(65_536)
    const chunk = 'transfer-encoding' in headers ? `10000\r\n${text}\r\n` : text
    // A reset may overtake the response, depending on timing, so the request is repeated.
    const answers = Array.from({ length: isFull ? 10 : 3 }, () =>
      rawRequest(service.port, async (socket) => {
        socket.write(head(path, headers))
        for (let count = 0; count < 120 && !socket.destroyed; count += 1)
          await new Promise((resolve) => socket.write(chunk, resolve))
      }),
    )
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(status)
    await expectAlive(service)
  })

  it('is held in an unlinked file while it arrives', async () => {
    const spoolDirectory = await spoolFolder()
    const service = await startService({ spoolDirectory })
    const body = JSON.stringify({ pattern: 'a', extra: 'x'.repeat(2_000_000) })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const all = Array.from({ length: 8 }, () =>
      rawRequest(service.port, async (socket) => {
        socket.write(head('/grep', { 'content-length': `${body.length}`, connection: 'close' }))
        socket.write(body.slice(0, 1_500_000))
        await released
        socket.write(body.slice(1_500_000))
      }),
    )
    await service.inFlight(8)
    if (process.platform === 'linux') while ((await namelessFilesOf(spoolDirectory)) < 8) await pause(10)
    // A file has a name only until it is opened.
    while ((await readdir(spoolDirectory)).length > 0) await pause(10)
    release()
    for (const { status } of await Promise.all(all)) expect(status).toBe(200)
    await service.close()
    expect(await readdir(spoolDirectory)).toEqual([])
  })

  it('over the limit of the spool is rejected', async () => {
    const service = await startService({ maxSpoolBytes: 1_000_000 })
    const response = await raw(service, JSON.stringify({ pattern: 'a', extra: 'x'.repeat(2_000_000) }))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    await expectAlive(service)
  })
})

describe('slow clients', () => {
  const noBody = { bodyWindowMs: NEVER_MS, bodyTimeoutMs: NEVER_MS }

  test.for<readonly [string, ServeOptions, (socket: Socket) => void | Promise<void>]>([
    [
      'trickle their headers',
      { headersTimeoutMs: 200, limits: noBody },
      async (socket) => {
        socket.write('POST /grep HTTP/1.1\r\nhost: localhost\r\n')
        while (!socket.destroyed) {
          socket.write('x-header: a\r\n')
          await pause(25)
        }
      },
    ],
    ['send nothing at all', { headersTimeoutMs: 200, limits: noBody }, () => {}],
    [
      'send a part of their body',
      { limits: { bodyWindowMs: 100, bodyTimeoutMs: NEVER_MS } },
      (socket) => void socket.write(`${head('/grep', { 'content-length': '100000' })}{"pattern":`),
    ],
    [
      'trickle their body',
      { limits: { bodyWindowMs: NEVER_MS, bodyTimeoutMs: 200 } },
      async (socket) => {
        socket.write(head('/grep', { 'content-length': '100000' }))
        while (!socket.destroyed) {
          socket.write('x')
          await pause(25)
        }
      },
    ],
  ])('get 408 and are disconnected if they %s', async ([, options, send]) => {
    const service = await startService(options)
    const answer = await rawRequest(service.port, send)
    expect(answer.status).toBe(408)
    expect(() => JSON.parse(answer.body)).not.toThrow()
    await expectAlive(service)
  })

  it('do not delay other requests while they send', async () => {
    const service = await startService({ limits: { ...noBody, maxConcurrent: 1 } })
    const controller = new AbortController()
    const slow = Array.from({ length: 50 }, () =>
      rawRequest(service.port, (socket) => {
        controller.signal.addEventListener('abort', () => socket.destroy())
        socket.write(head('/grep', { 'content-length': '100000' }))
      }),
    )
    await service.inFlight(50)
    expect((await service.post('/grep', { pattern: 'a' })).status).toBe(200)
    await service.inFlight(50)
    controller.abort()
    await Promise.all(slow)
    await expectAlive(service)
  })

  it('are disconnected if they do not read their response', async () => {
    const service = await startService({ responseTimeoutMs: 300 })
    const text = 'a line of text\n'.repeat(1_000_000)
    const stored = await fetch(`${service.url}/v1/offload/content?toolName=t&toolCallId=c`, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'text/plain' },
    })
    const { stored: entries } = (await stored.json()) as { stored: [{ reference: string }] }
    const answer = await rawRequest(service.port, async (socket) => {
      socket.pause()
      socket.write(head(`/v1/entries/${entries[0].reference}/content`, {}, 'GET'))
      await service.logged(2)
      while ((await service.heldBytes()) > 0) await pause(10)
      socket.resume()
    })
    expect(service.log[1]).toMatchObject({ route: '/v1/entries/{reference}/content', status: 200 })
    expect(answer.body.length).toBeLessThan(text.length)
    await expectAlive(service)
  })
})

describe('an invalid request', () => {
  it.each([
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['two lengths', head('/grep', { 'content-length': '5\r\ncontent-length: 6' }), 400],
    ['a length and chunks', head('/grep', { 'content-length': '5', 'transfer-encoding': 'chunked' }), 400],
    ['headers without end', `POST /grep HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(50_000)}\r\n\r\n`, 431],
    ['a length with a sign', head('/grep', { 'content-length': '+5' }), 400],
    ['a list of lengths', head('/grep', { 'content-length': '15, 15' }), 400],
    ['a coding besides chunks', head('/v1/search', { 'transfer-encoding': 'gzip, chunked' }), 415],
    ['a coding like chunks', head('/grep', { 'transfer-encoding': 'xchunked' }), 400],
    ['a chunk without a size', `${head('/grep', { 'transfer-encoding': 'chunked' })}zz\r\n`, 400],
    ['a chunk of any size', `${head('/grep', { 'transfer-encoding': 'chunked' })}fffffffffffffffff\r\n`, 400],
    ['a blank before a colon', 'GET /v1/stats HTTP/1.1\r\nhost : localhost\r\n\r\n', 400],
    ['a folded header', 'GET /v1/stats HTTP/1.1\r\nhost: localhost\r\nx: a\r\n b\r\n\r\n', 400],
    ['a zero byte in a header', 'GET /v1/stats HTTP/1.1\r\nhost: localhost\r\nx: \0\r\n\r\n', 400],
    ['a proxy before it', head('/v1/stats', { connection: 'close', 'X-Forwarded-For': '127.0.0.1' }, 'GET'), 403],
    ['two hosts', head('/v1/stats', { connection: 'close', host: 'localhost\r\nhost: elsewhere' }, 'GET'), 403],
    ['no host', 'GET /v1/stats HTTP/1.0\r\n\r\n', 400],
    [
      'another host in the request line',
      'GET http://elsewhere.example/v1/stats HTTP/1.1\r\nhost: elsewhere.example\r\nconnection: close\r\n\r\n',
      403,
    ],
  ])('is rejected as JSON if it has %s', async (_name, text, status) => {
    const service = await startService()
    const answer = await rawRequest(service.port, (socket) => void socket.write(text))
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: expect.any(String) } })
    await expectAlive(service)
  })
})

describe('a request that claims', () => {
  it('another method or path in a header is answered according to its request line', async () => {
    const service = await startService()
    const headers = {
      'x-http-method-override': 'DELETE',
      'x-original-url': '/v1/entries',
      'x-rewrite-url': '/metrics',
    }
    expect((await service.get('/v1/stats', headers)).json).toHaveProperty('stored')
    const response = await fetch(`${service.url}/v1/stats`, { method: 'OPTIONS', headers })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([405, null])
  })

  it.each(['x', '%00', '-1', '1e999', '..%2f..', 'a'.repeat(600), '%F0%9F%98%80'])(
    'to continue a listing at %s is rejected',
    async (cursor) => {
      const service = await startService()
      expect((await service.get(`/v1/entries?cursor=${cursor}`)).status).toBe(422)
    },
  )

  it.each<[path: string, body?: string]>([
    ['/v1/entries?limit=NaN'],
    ['/v1/entries?limit=1e999'],
    ['/v1/entries?limit=-1'],
    ['/grep', '{"pattern":"a","limit":1e999}'],
    ['/grep', '{"pattern":"a","limit":-0}'],
    ['/v1/search', '{"pattern":"a","limit":1e300}'],
    ['/v1/retrieve', '{"reference":"a_1","line_range":{"start":1,"end":1e999}}'],
    ['/v1/retrieve', '{"reference":"a_1","wait_seconds":-1}'],
    ['/v1/retrieve', '{"__proto__":{"pattern":"a"}}'],
    ['/v1/retrieve', '{"constructor":1,"pattern":"a"}'],
    ['/v1/offload', '{"toolName":"t","toolCallId":"c","content":[{"__proto__":{"type":"text"},"text":"a"}]}'],
    ['/v1/history/compact', '{"format":"openai-chat","messages":[],"maxTotalTokens":1e999}'],
    ['/v1/history/compact', '{"format":"constructor","messages":[]}'],
  ])('to be valid is rejected by %s: %s', async (path, body) => {
    const service = await startService()
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(service.url + path, body === undefined ? {} : { method: 'POST', body, headers })
    expect(status).toBe(422)
    await expectAlive(service)
  })

  it('to have a block with a very long name is rejected, because token limits do not include names', async () => {
    const service = await startService()
    const name = 'n'.repeat(2_000)
    for (const block of [
      { type: 'text', text: 'a', name },
      { type: 'json', value: 1, context: name },
      { type: 'link', url: 'a:b', name },
      { type: 'image', data: 'AAAA', mediaType: name },
    ]) {
      const { status } = await service.post('/v1/offload', { toolName: 't', toolCallId: 'c', content: [block] })
      expect(status).toBe(422)
    }
  })
})
