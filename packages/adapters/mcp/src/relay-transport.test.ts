import { setImmediate as tick } from 'node:timers/promises'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { relayTransport, type LooseTransport } from './relay-transport.ts'

const LOG = 'a line of a log\n'.repeat(5_000)
const BIG = { content: [{ type: 'text', text: LOG }] }
const LISTED = { tools: [{ name: 'read', inputSchema: { type: 'object' } }] }

/** A transport with only the required members. */
class FakeTransport {
  readonly #secret = 'its own'
  readonly sent: unknown[] = []
  readonly headers = { a: 1 }
  sessionId: string | undefined
  hasClosed = false
  declare onmessage?: LooseTransport['onmessage']
  declare onclose?: LooseTransport['onclose']
  declare onerror?: LooseTransport['onerror']

  async start(): Promise<void> {}
  async send(message: unknown, options?: unknown): Promise<void> {
    this.sent.push(options === undefined ? message : [message, options])
  }
  async close(): Promise<void> {
    this.hasClosed = true
    this.onclose?.()
  }
  secret(): string {
    return this.#secret
  }
}

interface Bench {
  readonly inner: FakeTransport
  readonly outer: FakeTransport
  readonly received: unknown[]
  readonly errors: Error[]
}

function bench(user: 'client' | 'server', storage = new InMemoryStorage()): Bench {
  const inner = new FakeTransport()
  const errors: Error[] = []
  const settings = { offloader: new ContextOffloader({ storage }), onError: (error: Error) => void errors.push(error) }
  const outer = relayTransport(inner, settings, user)
  const received: unknown[] = []
  set(outer, { onmessage: (message, extra) => received.push(extra === undefined ? message : [message, extra]) })
  return { inner, outer, received, errors }
}

/** Set handlers one by one, as the SDKs do. */
const set = (transport: FakeTransport, handlers: Partial<LooseTransport>): void =>
  void Object.assign(transport, handlers)

const message = (fields: object): object => ({ jsonrpc: '2.0', ...fields })
const call = message({ id: 1, method: 'tools/call', params: { name: 'read' } })

/** Start a client's tool call, whose large result is being stored. */
async function withResultUnderWay(storage?: InMemoryStorage): Promise<Bench> {
  const one = bench('client', storage)
  await one.outer.send(message({ id: 0, method: 'tools/list' }))
  one.inner.onmessage?.(message({ id: 0, result: LISTED }))
  await one.outer.send(call)
  one.inner.onmessage?.(message({ id: 1, result: BIG }))
  return one
}

describe('relayTransport', () => {
  it('has all members of the transport, and its class', async () => {
    const { inner, outer } = bench('client')
    expect(outer).toBeInstanceOf(FakeTransport)
    expect(outer.secret()).toBe('its own')
    expect(outer.headers).toBe(inner.headers)
    outer.sessionId = 'session-1'
    expect([inner.sessionId, outer.sessionId]).toEqual(['session-1', 'session-1'])
    await outer.close()
    expect(inner.hasClosed).toBe(true)
  })

  it('returns the handlers that were set, even those set before', () => {
    const inner = new FakeTransport()
    const [early, late] = [(): void => {}, (): void => {}]
    set(inner, { onmessage: early, onclose: early })
    const outer = relayTransport(
      inner,
      { offloader: new ContextOffloader({ storage: new InMemoryStorage() }) },
      'client',
    )
    expect([outer.onmessage, outer.onclose]).toEqual([early, early])
    set(outer, { onmessage: late, onclose: late, onerror: late })
    expect([outer.onmessage, outer.onclose, outer.onerror]).toEqual([late, late, late])
    expect(inner.onerror).toBe(late)
  })

  it('accepts no message from a transport before there is a handler', () => {
    const inner = new FakeTransport()
    const outer = relayTransport(
      inner,
      { offloader: new ContextOffloader({ storage: new InMemoryStorage() }) },
      'client',
    )
    expect(inner.onmessage).toBeUndefined()
    set(outer, { onmessage: () => {} })
    expect(inner.onmessage).toBeTypeOf('function')
    set(outer, { onmessage: undefined })
    expect(inner.onmessage).toBeUndefined()
  })

  it.each(['client', 'server'] as const)(
    'passes on each message of a %s with its other arguments, even an invalid message',
    async (user) => {
      const { inner, outer, received } = bench(user)
      const [extra, options] = [{ requestInfo: {} }, { relatedRequestId: 1 }]
      for (const one of [message({ method: 'notifications/x' }), message({ id: 1, method: 'x' }), { no: 'message' }]) {
        inner.onmessage?.(one, extra)
        await outer.send(one, options)
        expect(received.at(-1)).toEqual([one, extra])
        expect(inner.sent.at(-1)).toEqual([one, options])
      }
    },
  )

  it('rejects to the sender if the transport cannot send', async () => {
    const { inner, outer } = bench('client')
    inner.send = () => Promise.reject(new Error('not connected'))
    await expect(outer.send(call)).rejects.toThrow('not connected')
  })

  it('ends a response of a server only after it was sent', async () => {
    const { inner, outer } = bench('server')
    inner.onmessage?.(message({ id: 0, method: 'tools/list' }))
    await outer.send(message({ id: 0, result: LISTED }))
    inner.onmessage?.(call)
    await outer.send(message({ id: 1, result: BIG }))
    expect(JSON.stringify(inner.sent.at(-1))).toContain('[Offloaded: 1 block')
  })

  it('reports a handler that throws after a result was stored, and does not end the process', async () => {
    const { outer, inner, errors } = await withResultUnderWay()
    set(outer, {
      onmessage: () => {
        throw new Error('a bug of the handler')
      },
    })
    await inner.onmessage?.(message({ method: 'notifications/x' }))
    expect(errors).toEqual([new Error('a bug of the handler'), new Error('a bug of the handler')])
  })

  it('reports errors to the transport if no option handles them', async () => {
    const inner = new FakeTransport()
    const told: Error[] = []
    const outer = relayTransport(
      inner,
      { offloader: new ContextOffloader({ storage: new InMemoryStorage() }) },
      'client',
    )
    const failure = new Error('a bug of the handler')
    set(outer, { onmessage: () => Promise.reject(failure), onerror: (error) => void told.push(error) })
    inner.onmessage?.(message({ method: 'notifications/x' }))
    for (let round = 0; round < 10; round += 1) await tick()
    expect(told).toEqual([failure])
  })
})

describe('a connection that closes', () => {
  it('first delivers earlier messages of the server to the client', async () => {
    const { inner, outer, received } = await withResultUnderWay()
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    set(outer, { onclose: resolve })
    inner.onclose?.()
    expect(received).toHaveLength(1)
    await closed
    expect(received).toHaveLength(2)
  })

  it('is closed at once if no calls are running, and if the client closes it', async () => {
    const idle = bench('client')
    let closes = 0
    const onclose = (): void => void (closes += 1)
    set(idle.outer, { onclose })
    idle.inner.onclose?.()
    expect(closes).toBe(1)
    const hanging = Object.assign(new InMemoryStorage(), { store: () => new Promise<never>(() => {}) })
    const busy = await withResultUnderWay(hanging)
    set(busy.outer, { onclose })
    await busy.outer.close()
    expect(closes).toBe(2)
  })
})
