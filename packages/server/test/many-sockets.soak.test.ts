import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { AccessTokens } from '@spillway/core/http'
import { isFull } from '@spillway-internal/test-run'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { head } from './raw-request.ts'
import { startService, type TestService } from './start-service.ts'

const ROUNDS = isFull ? 5 : 3
const bearer = (name: string): Record<string, string> => ({ authorization: `Bearer the-token-of-tenant-${name}` })
const tokens = (): AccessTokens =>
  new AccessTokens(['a', 'b'].map((name) => ({ token: `the-token-of-tenant-${name}`, scope: [name] })))

/** Open a connection that is closed after the test. */
async function open(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

/** Send a request of another caller over a separate connection, and return the status. */
async function ask(service: TestService): Promise<number | undefined> {
  const sent = request(`${service.url}/v1/stats`, { agent: false, headers: bearer('b') })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.end()
  const [response] = await answered
  response.resume()
  return response.statusCode
}

describe('clients whose connections stay open', () => {
  const maxConnections = isFull ? 1_000 : 50

  it.each([
    ['requesting a public endpoint', 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['with an unknown token', 'GET /v1/stats HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer guess\r\n\r\n'],
    ['sending headers that never end', 'x'],
    [
      'requesting a public endpoint without reading the response',
      'GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(20),
    ],
  ])('and %s do not block other clients', { timeout: isFull ? 600_000 : 60_000 }, async (_name, text) => {
    const service = await startService({ tokens: tokens(), maxConnections })
    let kept: Socket[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      kept = kept.filter(({ destroyed }) => !destroyed)
      while (kept.length < maxConnections) {
        // These are other loopback addresses of the machine.
        const more = Array.from({ length: 50 }, (_, index) => open(service.port, `127.0.0.${2 + (index % 3)}`))
        kept.push(...(await Promise.all(more)))
      }
      for (const socket of kept) socket.write(text)
      expect(await ask(service)).toBe(200)
    }
  })
})

const count = isFull ? 40 : 8

test('uploads that arrive one byte at a time are ended, and leave space for others', async () => {
  const service = await startService({
    tokens: tokens(),
    limits: { maxUploads: 8, bodyWindowMs: isFull ? 5_000 : 1_000, queueTimeoutMs: 60_000 },
  })
  const path = '/v1/offload/content?toolName=t&toolCallId=c'
  const slow = await Promise.all(Array.from({ length: count }, () => open(service.port, '127.0.0.1')))
  const statuses = slow.map(async (socket) => {
    socket.write(head(path, { 'content-type': 'text/plain', 'content-length': '100000', ...bearer('a') }))
    const trickle = setInterval(() => socket.write('x'), 100)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    clearInterval(trickle)
    return answer.toString().slice('HTTP/1.1 '.length, 'HTTP/1.1 408'.length)
  })
  await service.inFlight(count, bearer('b'))
  const body = 'a line of text\n'.repeat(3_500)
  const headers = { 'content-type': 'text/plain', ...bearer('b') }
  const upload = async (): Promise<number> =>
    (await fetch(service.url + path, { method: 'POST', body, headers })).status
  expect(await Promise.all([upload(), upload(), upload()])).toEqual([200, 200, 200])
  expect(new Set(await Promise.all(statuses))).toEqual(new Set(['408']))
})
