import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Connection } from '../proxy/connection.ts'
import { resultOf, isRequest, type Message } from '../relay/message.ts'
import { HttpSessions, type HttpSessionsOptions } from './http-sessions.ts'
import { serveHttp } from './serve-http.ts'

const CAPABILITIES = { tools: {}, logging: {} }

/** A server that answers with its scope, and records the messages that it gets. */
async function serveScope(client: Connection, scope: readonly string[], messages: Message[] = []): Promise<void> {
  const { promise: closed, resolve: close } = Promise.withResolvers<string>()
  await client.start({
    onMessage(message) {
      messages.push(message)
      if (!isRequest(message)) return
      if (message.method === 'initialize') {
        const { protocolVersion } = message.params as { protocolVersion: string }
        const serverInfo = { name: scope.join('/'), version: '1' }
        void client.send(resultOf(message, { protocolVersion, capabilities: CAPABILITIES, serverInfo }))
      } else void client.send(resultOf(message, { content: [{ type: 'text', text: scope.join('/') }] }))
    },
    onClose: close,
    onError() {},
  })
  await closed
}

async function listen(options: Partial<HttpSessionsOptions> = {}, scope: readonly string[] = []): Promise<URL> {
  const sessions = new HttpSessions({ serve: serveScope, onError() {}, ...options })
  const service = await serveHttp({
    // This header names the caller, instead of a token.
    fetch: (request) => sessions.fetch(request, [request.headers.get('x-caller') ?? '', ...scope]),
    onError() {},
  })
  onTestFinished(async () => {
    await sessions.close()
    await service.close()
  })
  return new URL(service.url)
}

async function connect(url: URL, caller: string, versionNegotiation: object = { mode: 'legacy' }) {
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-caller': caller } } })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, transport }
}

const post = (url: URL, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  })

describe('HTTP sessions', () => {
  test('have the scope of the caller who opened them', async () => {
    const url = await listen()
    const [one, two] = await Promise.all([connect(url, 'one'), connect(url, 'two')])
    expect(one.client.getServerVersion()?.name).toBe('one')
    expect(two.client.getServerVersion()?.name).toBe('two')
  })

  test('make room for sessions of other callers if one caller left many open', async () => {
    const url = await listen({ maxSessions: 4 })
    const greedy = []
    for (let count = 0; count < 6; count += 1) greedy.push(await connect(url, 'greedy'))
    const other = await connect(url, 'other')
    const third = await connect(url, 'third')
    for (const { client } of [other, third, greedy.at(-1)!])
      expect(await client.callTool({ name: 'a', arguments: {} })).toMatchObject({ content: [{ type: 'text' }] })
    await expect(greedy[0]!.client.callTool({ name: 'a', arguments: {} })).rejects.toThrow('Session not found')
  })

  test('keep the digits of numbers in both directions', async () => {
    const numbers = '{"id":1915883588174806058,"price":10.00}'
    const messages: Message[] = []
    const serve = (client: Connection): Promise<void> =>
      serveScope(
        { ...client, start: client.start.bind(client), send: (message) => client.send(echo(message)) },
        [],
        messages,
      )
    const echo = (message: Message): Message =>
      isCall(messages.at(-1)) ? { ...message, result: messages.at(-1)?.params?.['arguments'] } : message
    const isCall = (message: Message | undefined): boolean => message?.method === 'tools/call'
    const url = await listen({ serve })
    const { transport } = await connect(url, 'one')
    const call = `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a","arguments":${numbers}}}`
    const answer = await post(url, call, { 'mcp-session-id': transport.sessionId ?? '', 'x-caller': 'one' })
    expect(await answer.text()).toContain(`"result":${numbers}`)
  })

  test('are not found by other callers, even if these know their ids', async () => {
    const url = await listen()
    const { transport } = await connect(url, 'one')
    const id = String(transport.sessionId)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }
    expect((await post(url, call, { 'mcp-session-id': id, 'x-caller': 'two' })).status).toBe(404)
    expect((await post(url, call, { 'mcp-session-id': id, 'x-caller': 'one' })).status).toBe(200)
  })

  test('are opened only by an initialize request', async () => {
    let served = 0
    const url = await listen({ serve: async () => void served++ })
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    for (const body of [call, [call], '{ no json', '5'])
      expect((await post(url, body)).status, JSON.stringify(body)).toBeGreaterThanOrEqual(400)
    expect((await fetch(url)).status).toBe(400)
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(400)
    expect(served).toBe(0)
  })

  test('end when their client ends them, and are not found afterwards', async () => {
    const url = await listen()
    const { transport } = await connect(url, 'one')
    const id = String(transport.sessionId)
    await transport.terminateSession()
    const headers = { 'mcp-session-id': id, 'x-caller': 'one' }
    expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).toBe(404)
  })

  test('end if they are not used', async () => {
    let ended = 0
    const url = await listen({
      idleMs: 50,
      serve: async (client, scope) => {
        await serveScope(client, scope)
        ended += 1
      },
    })
    const greeting = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    }
    await (await post(url, greeting)).text()
    await expect.poll(() => ended).toBe(1)
  })

  test('are limited in number, and a client over the limit gets retry-after', async () => {
    const url = await listen({ maxSessions: 1 })
    await connect(url, 'one')
    const greeting = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }
    const refused = await post(url, greeting)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('30')
  })

  test('are refused and not counted if their server cannot be started', async () => {
    const errors: string[] = []
    const url = await listen({
      maxSessions: 1,
      serve: () => Promise.reject(new Error('no such program')),
      onError: ({ message }) => errors.push(message),
    })
    const greeting = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }
    for (let attempt = 0; attempt < 3; attempt++) expect((await post(url, greeting)).status).toBe(502)
    expect(errors).toEqual(['no such program', 'no such program', 'no such program'])
  })

  test('accept bodies up to their limit', async () => {
    const url = await listen({ maxRequestBytes: 1_000 })
    const greeting = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { filler: 'x'.repeat(2_000) } }
    expect((await post(url, greeting)).status).toBe(413)
  })
})

test('clients of a revision without sessions initialize in a revision that has sessions', async () => {
  const { client } = await connect(await listen(), 'one', { mode: 'auto' })
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25')
})

describe('messages of the server over HTTP', () => {
  test('wait in order until the client opens its stream', async () => {
    const seen: unknown[] = []
    const url = await listen({
      serve: async (client, scope) => {
        const served = serveScope(client, scope)
        for (const data of [1, 2, 3])
          await client.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } })
        await served
      },
    })
    const client = new Client({ name: 'test', version: '1' })
    client.setNotificationHandler('notifications/message', ({ params }) => void seen.push(params.data))
    await client.connect(new StreamableHTTPClientTransport(url))
    onTestFinished(() => client.close())
    await expect.poll(() => seen).toEqual([1, 2, 3])
  })

  test('are sent with the request whose progress they report', async () => {
    const url = await listen({
      serve: async (client) => {
        const { promise, resolve } = Promise.withResolvers<string>()
        await client.start({
          onMessage(message) {
            if (!isRequest(message)) return
            if (message.method === 'initialize')
              return void client.send(
                resultOf(message, {
                  protocolVersion: '2025-06-18',
                  capabilities: CAPABILITIES,
                  serverInfo: { name: 's', version: '1' },
                }),
              )
            const { progressToken } = (message.params?.['_meta'] ?? {}) as { progressToken?: number }
            void client.send({
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken, progress: 1 },
            })
            return void client.send(resultOf(message, { content: [] }))
          },
          onClose: resolve,
          onError() {},
        })
        await promise
      },
    })
    const { client } = await connect(url, 'one')
    const calls = Array.from({ length: 20 }, async () => {
      const progress: number[] = []
      await client.callTool({ name: 'x' }, { onprogress: (one) => progress.push(one.progress) })
      return progress
    })
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, () => [1]))
  })
})
