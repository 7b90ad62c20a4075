import { describe, expect, it } from 'vitest'
import { FakeConnection, newTold, request, type Told } from '../../test/fake-connection.ts'
import type { Message } from '../relay/message.ts'
import { Upstream, type UpstreamEvent } from './upstream.ts'

interface Bench {
  readonly upstream: Upstream
  readonly told: Told
  readonly events: UpstreamEvent[]
  /** The connections that were opened, in their order. */
  readonly opened: FakeConnection[]
}

async function bench({ make = (): FakeConnection => new FakeConnection() } = {}): Promise<Bench> {
  const events: UpstreamEvent[] = []
  const opened: FakeConnection[] = []
  const open = (): FakeConnection => {
    opened.push(make())
    return opened.at(-1) as FakeConnection
  }
  const upstream = new Upstream({ name: 'logs', open, onEvent: (event) => void events.push(event) })
  const told = newTold()
  await upstream.start(told)
  return { upstream, told, events, opened }
}

/** A server that answers every request. */
function answering(): FakeConnection {
  const connection = new FakeConnection()
  connection.onSend = ({ id }) => {
    if (id !== undefined) connection.receive({ id, result: { protocolVersion: '2025-11-25' } })
  }
  return connection
}

const ended = (id: number, reason: string): object => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_000, message: `MCP server logs ended (${reason}) before it answered. Start it again.` },
})

describe('Upstream', () => {
  it('passes on the same messages in both directions', async () => {
    const { upstream, told, opened } = await bench()
    const [call, answer] = [request(1, 'tools/call'), { id: 1, result: {} }]
    await upstream.send(call)
    opened[0]?.receive(answer)
    expect(opened[0]?.sent[0]).toBe(call)
    expect(told.messages).toEqual([{ jsonrpc: '2.0', ...answer }])
  })

  const error = { code: 1, message: 'failed' }
  const neither = { code: -32_603, message: 'The server answered with neither a result nor an error.' }
  it.each<[object, object]>([
    [{ result: {}, error: null }, { result: {} }],
    [{ result: {}, more: 1 }, { result: {} }],
    [{ result: null, error }, { error }],
    [{ result: {}, error }, { error }],
    [{ result: null }, { error: neither }],
    [{ result: 'text' }, { error: neither }],
    [{ result: [] }, { error: neither }],
    [{ error: 'text' }, { error: neither }],
    [{}, { error: neither }],
  ])('repairs the response %j, which clients would ignore', async (received, repaired) => {
    const { upstream, told, opened } = await bench()
    await upstream.send(request(1, 'tools/call'))
    opened[0]?.receive({ id: 1, ...received })
    expect(told.messages).toEqual([{ jsonrpc: '2.0', id: 1, ...repaired }])
  })

  it('rejects if the server cannot be started', async () => {
    await expect(bench({ make: () => new FakeConnection(new Error('no such command')) })).rejects.toThrow(
      'no such command',
    )
  })

  it('tells the connection which protocol revision was negotiated', async () => {
    const { upstream, opened } = await bench({ make: answering })
    await upstream.send(request(1, 'initialize'))
    expect(opened[0]?.agreed).toEqual(['2025-11-25'])
  })

  it('reports only the text of an error if no message is lost', async () => {
    const { told, events, opened } = await bench()
    opened[0]?.fail(Object.assign(new Error('a line is not JSON'), { secret: 'sk-1' }))
    expect(events).toEqual([{ type: 'server-error', server: 'logs', message: 'a line is not JSON' }])
    expect(told.errors).toEqual([])
  })

  it('answers with an error, without text of the server, if a request cannot be sent', async () => {
    const { upstream, told, events, opened } = await bench()
    const failures = [
      [
        Object.assign(new Error('sk-1 is wrong'), { status: 401, statusText: 'sk-1 is wrong' }),
        'it answered with HTTP status 401',
      ],
      [Object.assign(new Error('sk-1 is wrong'), { data: { status: 500 } }), 'it answered with HTTP status 500'],
      [new Error('fetch failed', { cause: { code: 'ECONNREFUSED' } }), 'it cannot be reached (ECONNREFUSED)'],
      [new Error('The server is not running.'), 'The server is not running.'],
    ] as const
    for (const [id, [failure, text]] of failures.entries()) {
      Object.assign(opened[0] as object, { send: () => Promise.reject(failure) })
      await upstream.send(request(id, 'tools/call'))
      expect(told.messages.at(-1)?.error).toEqual({ code: -32_000, message: `MCP server logs: ${text}` })
    }
    await upstream.send({ jsonrpc: '2.0', method: 'notifications/x' })
    expect(told.messages).toHaveLength(failures.length)
    expect(JSON.stringify([events, told.messages])).not.toContain('sk-1')
  })

  it('closes the server once', async () => {
    const { upstream, told, opened } = await bench()
    await upstream.close()
    await upstream.close()
    expect([opened[0]?.closes, told.closes]).toEqual([1, ['closed']])
    await upstream.send(request(1, 'ping'))
    await upstream.send({ jsonrpc: '2.0', method: 'notifications/x' })
    expect(told.messages).toMatchObject([
      { id: 1, error: { code: -32_000, message: 'MCP server logs has ended. Start it again.' } },
    ])
  })
})

describe('a server that exits', () => {
  it('answers open requests with errors, reports their number, and closes', async () => {
    const { upstream, told, events, opened } = await bench()
    for (const id of [1, 2, 3, 4]) await upstream.send(request(id, 'tools/call'))
    opened[0]?.receive({ id: 2, result: {} })
    await upstream.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 4 } })
    opened[0]?.end('signal SIGKILL')
    expect(told.messages.slice(1)).toEqual([1, 3].map((id) => ended(id, 'signal SIGKILL')))
    expect(told.closes).toEqual(['signal SIGKILL'])
    expect(events).toEqual([{ type: 'server-ended', server: 'logs', reason: 'signal SIGKILL', unanswered: 2 }])
  })
})

describe('a session that the server has lost', () => {
  type Answer = (message: Message, connection: number) => object | Promise<never>

  const refused = (status: number): Promise<never> => Promise.reject(Object.assign(new Error('sk-1'), { status }))

  /** An initialized upstream. `answer` gets a request and the number of its connection, from 0. */
  async function greeted(answer: Answer): Promise<Bench> {
    let count = 0
    const make = (): FakeConnection => {
      const [connection, number] = [new FakeConnection(), count++]
      connection.send = async (message) => {
        connection.sent.push(message)
        if (message.id === undefined) return
        connection.receive({ id: message.id, ...(await answer(message, number)) })
      }
      return connection
    }
    const one = await bench({ make })
    await one.upstream.send(request(0, 'initialize'))
    await one.upstream.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return one
  }
  const methods = ({ sent }: FakeConnection): unknown[] => sent.map(({ method }) => method)
  const isCall = ({ method }: Message): boolean => method === 'tools/call'

  it.each([404, 400])(
    'is initialized again once for all calls if it answers %d, and the calls are repeated',
    async (status) => {
      const { upstream, told, opened, events } = await greeted((message, connection) =>
        isCall(message) && connection === 0 ? refused(status) : { result: {} },
      )
      await Promise.all([1, 2, 3].map((id) => upstream.send(request(id, 'tools/call'))))
      await upstream.send(request(4, 'tools/call'))
      expect(told.messages.map(({ id, error }) => [id, error])).toEqual([0, 1, 2, 3, 4].map((id) => [id, undefined]))
      expect(opened.map(methods)[1]).toEqual([
        'initialize',
        'notifications/initialized',
        ...Array.from({ length: 4 }, () => 'tools/call'),
      ])
      expect(opened.map(({ closes }) => closes)).toEqual([1, 0])
      expect(events).toEqual([{ type: 'session-renewed', server: 'logs' }])
    },
  )

  it('is reported to the client if a new session also rejects the call, and later calls are tried again', async () => {
    const { upstream, told, opened } = await greeted((message) => (isCall(message) ? refused(400) : { result: {} }))
    for (const id of [1, 2]) {
      await upstream.send(request(id, 'tools/call'))
      const text = 'the session was lost, and a new one did not help: it answered with HTTP status 400'
      expect(told.messages.at(-1)).toMatchObject({ id, error: { message: `MCP server logs: ${text}` } })
    }
    await upstream.send(request(3, 'tools/list'))
    expect(told.messages.at(-1)).toMatchObject({ id: 3, result: {} })
    expect(opened.map(({ closes }) => closes)).toEqual([1, 1, 0])
    expect(told.closes).toEqual([])
  })

  it.each([
    ['refuses the initialization', () => refused(500), 'it answered with HTTP status 500'],
    [
      'answers the initialization with an error',
      () => ({ error: { code: -1 } }),
      'it answered `initialize` with an error',
    ],
  ])('is reported to the client if the server %s', async (_name, greet, reason) => {
    const { upstream, told, opened } = await greeted((message, connection) =>
      isCall(message) ? refused(404) : connection > 0 ? greet() : { result: {} },
    )
    await upstream.send(request(1, 'tools/call'))
    const message = `MCP server logs: the session was lost, and a new one did not help: ${reason}`
    expect(told.messages.at(-1)?.error).toEqual({ code: -32_000, message })
    expect(opened.map(({ closes }) => closes)).toEqual([0, 1])
  })

  it('keeps the former connection until its other calls are answered', async () => {
    const { upstream, told, opened } = await greeted((message, connection) =>
      isCall(message) && connection === 0 ? refused(400) : { result: {} },
    )
    Object.assign(opened[0] as object, {
      send: (message: Message) => (message.id === 2 ? refused(400) : Promise.resolve()),
    })
    await upstream.send(request(1, 'tools/call'))
    await upstream.send(request(2, 'tools/call'))
    expect([told.messages.at(-1)?.id, opened[0]?.closes]).toEqual([2, 0])
    opened[0]?.receive({ id: 1, result: {} })
    expect([told.messages.at(-1)?.id, opened[0]?.closes]).toEqual([1, 1])
  })

  it('is not assumed before or during the initialization', async () => {
    const { upstream, told, opened } = await bench()
    opened[0]!.send = () => refused(400)
    await upstream.send(request(1, 'initialize'))
    await upstream.send(request(2, 'tools/call'))
    const error = { code: -32_000, message: 'MCP server logs: it answered with HTTP status 400' }
    expect(told.messages).toMatchObject([{ error }, { error }])
    expect(opened).toHaveLength(1)
  })

  it('is recognized in errors of the SSE transport, which have the status only in their text', async () => {
    const text = 'Error POSTing to endpoint (HTTP 404): no session for sk-1'
    const { upstream, told } = await greeted((message, connection) =>
      isCall(message) && connection === 0 ? Promise.reject(new Error(text)) : { result: {} },
    )
    await upstream.send(request(1, 'tools/call'))
    expect(told.messages.at(-1)).toMatchObject({ id: 1, result: {} })
  })
})
