import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseExactJson } from '@spillway/core/adapter'
import { afterEach, describe, expect, it } from 'vitest'
import { newTold, request } from '../../test/fake-connection.ts'
import { openServer, type UpstreamEvent } from '../proxy/upstream.ts'
import { writeMessage } from '../proxy/message-text.ts'
import { HttpConnection } from './http-connection.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

interface Asked {
  readonly body: string
  readonly message: { readonly id?: number | string; readonly method: string }
  readonly session: string | undefined
}

interface Answered {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Serve MCP over HTTP with the answers of `answer`, and return the address. */
async function serve(
  answer: (asked: Asked) => Answered,
  streams: ((stream: ServerResponse) => void)[] = [],
): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const stream = incoming.method === 'POST' ? undefined : streams.shift()
    if (stream !== undefined) {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      stream(outgoing)
    } else if (incoming.method !== 'POST') outgoing.writeHead(405).end()
    else
      void text(incoming).then((body) => {
        const session = incoming.headers['mcp-session-id'] as string | undefined
        const { status = 200, headers, body: answered } = answer({ body, message: JSON.parse(body), session })
        outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(answered)
      })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const INITIALIZED = '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}'
const resultOf = (id: unknown, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

describe('HttpConnection', () => {
  const NUMBERS = '{"id":1915883588174806058,"price":10.00}'

  it.each(['application/json', 'text/event-stream'])(
    'keeps the digits of numbers in both directions, as %s',
    async (type) => {
      const bodies: string[] = []
      const url = await serve(({ body, message }) => {
        bodies.push(body)
        const result = resultOf(message.id, `{"content":[],"structuredContent":${NUMBERS}}`)
        const isStream = type === 'text/event-stream'
        return { headers: { 'content-type': type }, body: isStream ? `event: message\ndata: ${result}\n\n` : result }
      })
      const connection = new HttpConnection({ url })
      const told = newTold()
      await connection.start(told)
      await connection.send(request(1, 'tools/call', { name: 'a', arguments: parseExactJson(NUMBERS) }))
      await told.received(1)
      expect(bodies[0]).toContain(`"arguments":${NUMBERS}`)
      expect(writeMessage({ ...told.messages[0]! })).toContain(`"structuredContent":${NUMBERS}`)
      await connection.close()
    },
  )
})

describe('a request over HTTP', () => {
  const asked = request(1, 'tools/call', { name: 'a', arguments: {} })

  it.each<[string, Answered]>([
    ['202', { status: 202 }],
    ['a result with another id', { body: resultOf('1', '{}') }],
    ['an empty batch', { body: '[]' }],
    ['a notification', { body: '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}' }],
  ])('gets an error if the server answers with %s', async (_, answer) => {
    const url = await serve(() => answer)
    const connection = new HttpConnection({ url })
    const told = newTold()
    await connection.start(told)
    await connection.send(asked)
    expect(told.messages.at(-1)).toMatchObject({ id: 1, error: { message: 'The answer ended before its result.' } })
    await connection.close()
  })

  it('gets an answer that arrives over the own stream of the server after the status 202', async () => {
    const { promise: streaming, resolve } = Promise.withResolvers<ServerResponse>()
    const url = await serve(() => ({ status: 202 }), [resolve])
    const connection = new HttpConnection({ url })
    const told = newTold()
    await connection.start(told)
    await connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const stream = await streaming
    stream.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
    await told.received(1)
    await connection.send(asked)
    stream.write(`data: ${resultOf(1, '{"content":[]}')}\n\n`)
    await told.received(2)
    expect(told.messages[1]).toMatchObject({ id: 1, result: { content: [] } })
    await connection.close()
  })

  it.each(['SECRET <html>', '{"jsonrpc":"2.0","id":1,"result":"SECRET"}'])(
    'gets one error that does not quote the answer %s',
    async (body) => {
      const url = await serve(() => ({ body }))
      const events: UpstreamEvent[] = []
      const onEvent = (event: UpstreamEvent): unknown => events.push(event)
      const upstream = openServer({ name: 'logs', onEvent, open: () => new HttpConnection({ url }) })
      const told = newTold()
      await upstream.start(told)
      await upstream.send(asked)
      await new Promise(setImmediate)
      const reason = 'its answer is not a JSON-RPC 2.0 message'
      expect(events).toEqual([{ type: 'server-error', server: 'logs', message: reason }])
      const error = { code: -32_000, message: `MCP server logs: ${reason}` }
      expect(told.messages).toEqual([{ jsonrpc: '2.0', id: 1, error }])
      await upstream.close()
    },
  )
})

describe('a server over HTTP that has lost the session', () => {
  it.each([404, 400])('is initialized again if it answers %d, and gets the call once more', async (status) => {
    let sessions = 0
    const greetings: (string | undefined)[] = []
    const url = await serve(({ message: { id, method }, session }) => {
      if (method === 'initialize') {
        greetings.push(session)
        return { headers: { 'mcp-session-id': `session-${++sessions}` }, body: resultOf(id, INITIALIZED) }
      }
      if (id === undefined) return { status: 202 }
      const error =
        '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}'
      return session === 'session-2' ? { body: resultOf(id, '{"content":[]}') } : { status, body: error }
    })
    const upstream = openServer({ name: 'logs', open: () => new HttpConnection({ url }) })
    const told = newTold()
    await upstream.start(told)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    await upstream.send(request(1, 'initialize', params))
    await upstream.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await upstream.send(request(2, 'tools/call', { name: 'a', arguments: {} }))
    expect(told.messages.at(-1)).toMatchObject({ id: 2, result: { content: [] } })
    expect(greetings).toEqual([undefined, undefined])
    await upstream.close()
  })
})
