import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseExactJson } from '@spillway/core/adapter'
import { afterEach, describe, expect, it } from 'vitest'
import { newTold, request } from '../../test/fake-connection.ts'
import { openServer } from '../proxy/upstream.ts'
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
async function serve(answer: (asked: Asked) => Answered): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    if (incoming.method !== 'POST') outgoing.writeHead(405).end()
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
