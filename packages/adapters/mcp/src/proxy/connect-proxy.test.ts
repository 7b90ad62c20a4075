import { setImmediate as tick } from 'node:timers/promises'
import { ContextOffloader, preload } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { FakeConnection, request } from '../../test/fake-connection.ts'
import { streamPair } from '../../test/streams.ts'
import { connectProxy } from './connect-proxy.ts'
import { StdioConnection } from './stdio-connection.ts'

const LOG = 'a line of a log\n'.repeat(5_000)
const BIG = { content: [{ type: 'text', text: LOG }] }

// Load modules first, because the tests count turns of the event loop, and loading takes any number of turns.
beforeAll(preload)

const settle = async (): Promise<void> => {
  for (let round = 0; round < 30; round += 1) await tick()
}

interface Bench {
  readonly client: FakeConnection
  readonly server: FakeConnection
  readonly errors: Error[]
  readonly ended: Promise<unknown>
}

async function bench(options: Parameters<typeof connectProxy>[2] = {}): Promise<Bench> {
  const [client, server] = [new FakeConnection(), new FakeConnection()]
  const errors: Error[] = []
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const ended = connectProxy({ client, server }, offloader, { onError: (error) => void errors.push(error), ...options })
  server.onSend = ({ id, method }) => {
    if (method === 'tools/list') server.receive({ id, result: { tools: [{ name: 'read' }] } })
  }
  await settle()
  return { client, server, errors, ended }
}

describe('connectProxy', () => {
  it('offloads between a client and a server', async () => {
    const { client, server } = await bench()
    client.receive(request(1, 'tools/call', { name: 'read' }))
    server.receive({ id: 1, result: BIG })
    await settle()
    expect(JSON.stringify(client.sent[0])).toContain('[Offloaded: 1 block')
  })

  it('takes the scope from the authInfo of a message', async () => {
    const seen: unknown[] = []
    const { client } = await bench({ scope: (authInfo) => [String(seen.push(authInfo))] })
    client.receive(request(1, 'ping'), { authInfo: { clientId: 'a' } })
    expect(seen).toEqual([{ clientId: 'a' }])
  })

  it('closes both ends if either closes', async () => {
    for (const side of ['client', 'server'] as const) {
      const one = await bench()
      one[side].end('it is over')
      await one.ended
      expect([one.client.closes, one.server.closes]).toEqual([1, 1])
    }
  })

  it('delivers messages that a server sent before it exited', async () => {
    const { client, server, ended } = await bench()
    client.receive(request(1, 'tools/call', { name: 'read' }))
    server.receive({ id: 1, result: BIG })
    server.receive({ method: 'notifications/message', params: { data: 'the end' } })
    server.end('exit code 0')
    await ended
    expect(client.sent.map(({ id, method }) => id ?? method)).toEqual([1, 'notifications/message'])
  })

  it("rejects if the server cannot be started, and leaves the client's connection open", async () => {
    const client = new FakeConnection()
    const server = new FakeConnection(new Error('no such command'))
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    await expect(connectProxy({ client, server }, offloader)).rejects.toThrow('no such command')
    expect([client.closes, client.sent]).toEqual([0, []])
  })

  it('reports messages that could not be sent, and continues', async () => {
    const { client, server, errors } = await bench()
    Object.assign(client, { send: () => Promise.reject('not an error') })
    server.receive({ method: 'notifications/x' })
    client.fail(new Error('a line is not JSON'))
    await settle()
    expect(errors.map(({ message }) => message)).toEqual(['a line is not JSON', 'not an error'])
  })

  it('passes on only the measured value of a field, even if the received text has the field twice', async () => {
    const [[clientEnd, host], [serverEnd, program]] = [streamPair(), streamPair()]
    const ends = { client: new StdioConnection(clientEnd), server: new StdioConnection(serverEnd) }
    const ended = connectProxy(ends, new ContextOffloader({ storage: new InMemoryStorage() }))
    await settle()
    host.output.write(`${JSON.stringify(request(1, 'tools/call', { name: 'read' }))}\n`)
    const small = { content: [{ type: 'text', text: 'small' }] }
    program.output.write(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(BIG)},"result":${JSON.stringify(small)}}\n`)
    await settle()
    const line = String(host.input.read())
    expect(line).not.toContain('a line of a log')
    expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 1, result: small })
    host.output.end()
    await ended
  })
})
