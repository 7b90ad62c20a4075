import { setImmediate as tick } from 'node:timers/promises'
import { propertyRuns } from '@spillway-internal/test-run'
import {
  ContextOffloader,
  preload,
  RETRIEVAL_TOOL_NAME,
  type ContextOffloaderOptions,
  type Storage,
} from '@spillway/core'
import { parseExactJson } from '@spillway/core/adapter'
import { InMemoryStorage } from '@spillway/memory'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { fieldsOf, type Message } from './message.ts'
import {
  chooseToolName,
  listRetrievalTool,
  listServerTool,
  OffloadRelay,
  OrderedQueue,
  type ClientMessageContext,
} from './offload-relay.ts'
import type { McpOffloadOptions } from './relay-options.ts'

const LOG = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}: all is well`).join('\n')
const BIG = { content: [{ type: 'text', text: LOG }] }
const SMALL = { content: [{ type: 'text', text: 'all is well' }] }
const PREFIXED = `spillway_${RETRIEVAL_TOOL_NAME}`

// Load modules first, because the tests count turns of the event loop, and loading takes any number of turns.
beforeAll(preload)

const SIZE = 'anthropic/maxResultSizeChars'
const offloader = (options: object = {}): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage(), ...options })

interface Sent {
  readonly message: Message
  readonly options: unknown
}

interface Bench {
  readonly relay: OffloadRelay
  readonly toClient: Sent[]
  readonly toServer: Sent[]
  readonly errors: unknown[]
  readonly client: (message: object, context?: ClientMessageContext) => unknown
  readonly server: (message: object, options?: unknown) => unknown
  /** Call a tool, and let the server answer. */
  readonly call: (name: string, result: unknown, id?: number) => void
  /** Wait until all pending messages have arrived. */
  readonly settle: () => Promise<void>
}

function bench(
  options: McpOffloadOptions & {
    readonly storage?: Storage
    readonly tools?: ContextOffloaderOptions['tools']
    readonly resolveReferences?: ContextOffloaderOptions['resolveReferences']
    readonly failsToSend?: boolean
  } = {},
): Bench {
  const { storage = new InMemoryStorage(), tools, resolveReferences, failsToSend = false, ...others } = options
  const [toClient, toServer, errors] = [[] as Sent[], [] as Sent[], [] as unknown[]]
  const relay = new OffloadRelay(
    { ...others, offloader: new ContextOffloader({ storage, tools, resolveReferences }) },
    {
      toClient: (message, sending) => void toClient.push({ message, options: sending }),
      async toServer(message, sending) {
        if (failsToSend) throw new Error('the pipe is broken')
        toServer.push({ message, options: sending })
      },
      onError: (error) => void errors.push(error),
    },
  )
  const client: Bench['client'] = (message, context) => relay.fromClient({ jsonrpc: '2.0', ...message }, context)
  const server: Bench['server'] = (message, sending) => relay.fromServer({ jsonrpc: '2.0', ...message }, sending)
  return {
    relay,
    toClient,
    toServer,
    errors,
    client,
    server,
    call(name, result, id = 1) {
      void client({ id, method: 'tools/call', params: { name, arguments: {} } })
      void server({ id, result })
    },
    async settle() {
      for (let round = 0; round < 20; round += 1) await tick()
      await relay.delivering
    },
  }
}

const list = (names: readonly string[], nextCursor?: string): object => ({
  tools: names.map((name) => ({ name, inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })),
  ...(nextCursor !== undefined && { nextCursor }),
})
const namesIn = ({ message }: Sent): unknown[] =>
  (fieldsOf(message.result)['tools'] as { name: unknown }[]).map(({ name }) => name)
const textIn = (sent: Sent | undefined): string =>
  String(fieldsOf((fieldsOf(sent?.message.result)['content'] as unknown[])[0])['text'])
const referenceIn = (sent: Sent | undefined): string => /^ {2}([a-z0-9_]+) \(/m.exec(textIn(sent))?.[1] ?? 'none'

describe('messages that pass', () => {
  it.each([
    ['requests of any method', { id: 'a', method: 'x/unknown', params: { deep: { a: [1] } }, extra: true }],
    ['requests without valid parameters', { id: 'a', method: 'tools/call', params: null }],
    ['notifications of any method', { method: 'notifications/x', params: {} }],
    ['answers', { id: 9, result: { roots: [] } }],
    ['errors', { id: 9, error: { code: -1, message: 'no', data: {} } }],
  ])('include the same %s in both directions, at once, with their options', (_name, fields) => {
    const { relay, toClient, toServer } = bench()
    const message = { jsonrpc: '2.0', ...fields } as unknown as Message
    const options = { relatedRequestId: 1 }
    void relay.fromClient(message, { options })
    relay.fromServer(message, options)
    expect(toServer[0]?.message).toBe(message)
    expect(toServer[0]?.options).toBe(options)
    expect(toClient[0]?.message).toBe(message)
    expect(toClient[0]?.options).toBe(options)
  })

  it('include the same objects for small results and errors', async () => {
    const { client, server, toClient, settle } = bench()
    const answers = [
      { id: 1, result: SMALL },
      { id: 2, error: { code: -32_602, message: 'It failed.' } },
    ]
    for (const { id } of answers) void client({ id, method: 'tools/call', params: { name: 'read' } })
    for (const answer of answers) void server(answer)
    await settle()
    expect(toClient.map(({ message }) => message)).toEqual(answers.map((answer) => ({ jsonrpc: '2.0', ...answer })))
    expect(toClient[0]?.message.result).toBe(SMALL)
  })

  it('include answers with an unknown id, and repeated answers', async () => {
    const { call, server, toClient, settle } = bench()
    void server({ id: 7, result: BIG })
    call('read', BIG)
    void server({ id: 1, result: BIG })
    await settle()
    expect(toClient.map(({ message }) => message.result === BIG)).toEqual([true, false, true])
  })

  it('include results of excluded tools, with their output schemas', async () => {
    const { call, client, server, toClient, settle } = bench({ tools: { read: { offload: false } } })
    call('read', BIG)
    call('write', BIG, 2)
    void client({ id: 3, method: 'tools/list' })
    void server({ id: 3, result: list(['read', 'write']) })
    await settle()
    expect(toClient[0]?.message.result).toBe(BIG)
    expect(textIn(toClient[1])).toMatch(/^\[Offloaded: /)
    const tools = fieldsOf(toClient[2]?.message.result)['tools'] as object[]
    expect(tools.map((tool) => 'outputSchema' in tool)).toEqual([true, false, false])
  })

  it('keep the order of the server, even while a result is stored', async () => {
    const { client, server, toClient, settle } = bench()
    for (let id = 0; id < 10; id += 1) void client({ id, method: 'tools/call', params: { name: 'read' } })
    for (let id = 0; id < 10; id += 1) {
      void server({ id, result: id % 3 === 0 ? BIG : SMALL })
      void server({ method: 'notifications/message', params: { after: id } })
    }
    await settle()
    const order = toClient.map(({ message }) => message.id ?? fieldsOf(message.params)['after'])
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => Math.floor(index / 2)))
  })

  it('include a result that cannot be offloaded, and the error is reported', async () => {
    const { relay, call, toClient, errors, settle } = bench()
    const broken = new Proxy(BIG, {
      ownKeys: () => {
        throw new Error('a bug')
      },
    })
    call('read', broken)
    await settle()
    expect(toClient[0]?.message.result).toBe(broken)
    expect(errors).toEqual([new Error('a bug')])
    expect(relay.delivering).toBeUndefined()
  })
})

describe('a message that cannot be written', () => {
  /** A relay whose messages are written as JSON. */
  function writing(): { relay: OffloadRelay; toClient: Message[]; toServer: Message[]; errors: unknown[] } {
    const [toClient, toServer, errors] = [[] as Message[], [] as Message[], [] as unknown[]]
    const write = (to: Message[]) => async (message: Message) => {
      JSON.stringify(message)
      to.push(message)
    }
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const sides = {
      toClient: write(toClient),
      toServer: write(toServer),
      onError: (error: unknown) => errors.push(error),
    }
    return { relay: new OffloadRelay({ offloader }, sides), toClient, toServer, errors }
  }
  const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as unknown
  const TOO_DEEP = expect.any(RangeError) as RangeError

  it('is answered with an error if it is a result, and the failure is reported', async () => {
    const { relay, toClient } = writing()
    for (const [id, method, result] of [
      [2, 'tools/list', { tools: [{ name: 'a', inputSchema: deep }] }],
      [3, 'prompts/get', { deep }],
    ] as const) {
      void relay.fromClient({ jsonrpc: '2.0', id, method, params: { name: 'a' } })
      await expect(relay.fromServer({ jsonrpc: '2.0', id, result })).rejects.toEqual(TOO_DEEP)
      const error = { code: -32_603, message: 'The answer could not be sent.' }
      expect(toClient.at(-1)).toEqual({ jsonrpc: '2.0', id, error })
    }
  })

  it('gives the server an error if it is a request of the server', async () => {
    const { relay, toClient, toServer } = writing()
    const request = { jsonrpc: '2.0', id: 7, method: 'sampling/createMessage', params: { deep } } as const
    await expect(relay.fromServer(request)).rejects.toEqual(TOO_DEEP)
    expect(toClient).toEqual([])
    expect(toServer).toEqual([
      { jsonrpc: '2.0', id: 7, error: { code: -32_603, message: 'The request could not be sent.' } },
    ])
  })
})

describe('the list of tools', () => {
  it('has the retrieval tool on its first page, under a name that no other tool of the page has', async () => {
    const { client, server, toClient, toServer, settle } = bench()
    void client({ id: 1, method: 'tools/list' })
    void server({ id: 1, result: list([RETRIEVAL_TOOL_NAME, PREFIXED], '2') })
    void client({ id: 2, method: 'tools/list', params: { cursor: '2' } })
    void server({ id: 2, result: list(['read']) })
    await settle()
    const own = `spillway_2_${RETRIEVAL_TOOL_NAME}`
    expect(toClient.map(namesIn)).toEqual([[RETRIEVAL_TOOL_NAME, PREFIXED, own], ['read']])
    expect(toServer).toHaveLength(2)
  })

  it('decides which calls are answered here, even after the server reports a change', async () => {
    const { client, server, call, toClient, toServer, settle } = bench()
    void client({ id: 1, method: 'tools/list' })
    void server({ id: 1, result: list([RETRIEVAL_TOOL_NAME]) })
    void server({ method: 'notifications/tools/list_changed' })
    void client({ id: 2, method: 'tools/call', params: { name: PREFIXED, arguments: { reference: 'none' } } })
    void client({ id: 3, method: 'tools/call', params: { name: RETRIEVAL_TOOL_NAME } })
    await settle()
    expect(toClient.at(-1)?.message).toMatchObject({ id: 2, result: { isError: true } })
    expect(toServer.map(({ message }) => message.id)).toEqual([1, 3])
    call('read', BIG, 4)
    await settle()
    expect(textIn(toClient.at(-1))).toContain(`use ${PREFIXED}`)
  })

  it('is unchanged if the server has no tools', async () => {
    const { client, server, toClient, settle } = bench()
    void client({ id: 1, method: 'tools/list' })
    const refusal = { id: 1, error: { code: -32_601, message: 'Method not found' } }
    void server(refusal)
    await settle()
    expect(toClient[0]?.message).toEqual({ jsonrpc: '2.0', ...refusal })
  })
})

describe('the retrieval tool', () => {
  async function listed(options: Parameters<typeof bench>[0] = {}): Promise<Bench> {
    const one = bench(options)
    void one.client({ id: 'list', method: 'tools/list' })
    void one.server({ id: 'list', result: list(['read']) })
    await one.settle()
    one.toClient.length = 0
    return one
  }
  const retrieve = (id: number, input: object): object => ({
    id,
    method: 'tools/call',
    params: { name: RETRIEVAL_TOOL_NAME, arguments: input },
  })

  it('is answered by the relay, not by the server', async () => {
    const { client, call, toClient, toServer, settle } = await listed()
    call('read', BIG)
    await settle()
    void client(retrieve(2, { reference: referenceIn(toClient[0]), pattern: 'line 4321:' }))
    await settle()
    expect(textIn(toClient[1])).toContain('> 4321| line 4321: all is well')
    expect(toServer.map(({ message }) => message.method)).toEqual(['tools/list', 'tools/call'])
  })

  it('accepts arguments with exact numbers', async () => {
    const { client, call, toClient, settle } = await listed()
    call('read', BIG)
    await settle()
    const span = parseExactJson('{"start":2.0,"end":3e0}')
    void client(retrieve(2, { reference: referenceIn(toClient[0]), line_range: span }))
    await settle()
    expect(textIn(toClient[1])).toContain('2| line 2: all is well')
  })

  it('is answered before the client has listed the tools, without a request to the server', async () => {
    const { client, call, toClient, toServer, settle } = bench()
    call('read', BIG)
    await settle()
    expect(textIn(toClient[0])).toContain(`use ${RETRIEVAL_TOOL_NAME}`)
    void client(retrieve(2, { reference: referenceIn(toClient[0]), pattern: 'line 4321:' }))
    await settle()
    expect(textIn(toClient[1])).toContain('> 4321| line 4321: all is well')
    expect(toServer.map(({ message }) => message.method)).toEqual(['tools/call'])
  })

  it('is answered even if nothing can be sent to the server', async () => {
    const { client, toClient, errors, settle } = bench({ failsToSend: true })
    void client(retrieve(1, { reference: 'none' }))
    await settle()
    expect(toClient[0]?.message).toMatchObject({ id: 1, result: { isError: true } })
    expect(errors).toEqual([])
  })

  it('sends no answer to a call that is canceled', async () => {
    const { client, toServer, toClient, settle } = await listed()
    void client(retrieve(1, { reference: 'none' }))
    void client({ method: 'notifications/cancelled', params: { requestId: 1 } })
    await settle()
    expect(toClient).toEqual([])
    expect(toServer.map(({ message }) => message.method)).toEqual(['tools/list', 'notifications/cancelled'])
  })

  it('stops when the connection closes', async () => {
    const hanging = Object.assign(new InMemoryStorage(), {
      retrieve: () => new Promise<never>(() => {}),
      stat: undefined,
    })
    const one = await listed({ storage: hanging as unknown as Storage })
    void one.client(retrieve(1, { reference: 'none' }))
    one.relay.close()
    await one.settle()
    expect(one.toClient).toEqual([])
  })
})

it('a call with a reference is answered with an error if the server cannot be reached', async () => {
  const resolveReferences = { tools: { send: { text: 'text' } } } as const
  const storage = new InMemoryStorage()
  const reference = await storage.store('call_1', new TextEncoder().encode('all is well'))
  const { client, toClient, errors, settle } = bench({ storage, resolveReferences, failsToSend: true })
  void client({ id: 1, method: 'tools/call', params: { name: 'send', arguments: { text: `spill:${reference}` } } })
  await settle()
  expect(toClient[0]?.message).toMatchObject({ id: 1, error: { code: -32_603 } })
  expect(errors).toEqual([new Error('the pipe is broken')])
})

describe('cancellation', () => {
  it('aborts storing a result, so that later messages pass', async () => {
    const hanging = Object.assign(new InMemoryStorage(), { store: () => new Promise<never>(() => {}) })
    const { client, call, server, toClient, settle } = bench({ storage: hanging })
    void client({ id: 'list', method: 'tools/list' })
    void server({ id: 'list', result: list(['read']) })
    call('read', BIG)
    void server({ method: 'notifications/message', params: { level: 'info', data: 'next' } })
    for (let round = 0; round < 20; round += 1) await tick()
    expect(toClient).toHaveLength(1)
    void client({ method: 'notifications/cancelled', params: { requestId: 1 } })
    await settle()
    expect(toClient.map(({ message }) => message.id ?? message.method)).toEqual(['list', 1, 'notifications/message'])
    expect(toClient[1]?.message.result).toBe(BIG)
  })

  it('is remembered for the last thousand unanswered calls', async () => {
    const { client, server, toClient, settle } = bench()
    void client({ id: 'list', method: 'tools/list' })
    void server({ id: 'list', result: list(['read']) })
    for (let id = 0; id < 1_500; id += 1) {
      void client({ id, method: 'tools/call', params: { name: 'read' } })
      void client({ method: 'notifications/cancelled', params: { requestId: id } })
    }
    void server({ id: 0, result: BIG })
    void server({ id: 1_499, result: BIG })
    await settle()
    expect(toClient.slice(1).map(({ message }) => message.result === BIG)).toEqual([true, false])
  })
})

describe('scopes of a relay', () => {
  it('come only from the authInfo of the message, and isolate tenants', async () => {
    const seen: unknown[] = []
    const scope = (authInfo: unknown): string[] => {
      seen.push(authInfo)
      return [(authInfo as { tenant: string }).tenant]
    }
    const { client, server, toClient, settle } = bench({ scope })
    void client({ id: 0, method: 'tools/list' }, { authInfo: { tenant: 'a' } })
    void server({ id: 0, result: list(['read']) })
    const call = { id: 1, method: 'tools/call', params: { name: 'read', _meta: { tenant: 'b' } } }
    void client(call, { authInfo: { tenant: 'a' } })
    void server({ id: 1, result: BIG })
    await settle()
    const input = { reference: referenceIn(toClient[1]), pattern: 'line 4321:' }
    for (const [id, tenant] of [
      [2, 'a'],
      [3, 'b'],
    ] as const)
      void client(
        { id, method: 'tools/call', params: { name: RETRIEVAL_TOOL_NAME, arguments: input } },
        { authInfo: { tenant } },
      )
    await settle()
    const answers = toClient.slice(2).toSorted((a, b) => Number(a.message.id) - Number(b.message.id))
    expect(answers.map((sent) => textIn(sent).includes('all is well'))).toEqual([true, false])
    expect(seen.map((authInfo) => (authInfo as { tenant: string }).tenant)).toEqual(['a', 'a', 'a', 'b'])
  })

  it('leave results unchanged if they are invalid', async () => {
    const { call, toClient, settle } = bench({
      scope: () => {
        throw new Error('no tenant')
      },
    })
    call('read', BIG)
    await settle()
    expect(toClient.at(-1)?.message.result).toBe(BIG)
  })
})

describe('tasks', () => {
  it('have their results offloaded under the name of the tool, even if the task is unknown', async () => {
    const { client, server, call, toClient, settle } = bench({ tools: { excluded: { offload: false } } })
    void client({ id: 'list', method: 'tools/list' })
    void server({ id: 'list', result: list(['read']) })
    call('read', { task: { taskId: 'task-1' } }, 1)
    call('excluded', { task: { taskId: 'task-2' } }, 2)
    for (const [id, taskId] of [
      [3, 'task-1'],
      [4, 'task-2'],
      [5, 'task-3'],
    ] as const) {
      void client({ id, method: 'tasks/result', params: { taskId } })
      void server({ id, result: BIG })
    }
    await settle()
    const [, , , first, second, third] = toClient
    expect(referenceIn(first)).toMatch(/^read_/)
    expect(second?.message.result).toBe(BIG)
    expect(referenceIn(third)).toMatch(/^tool_/)
  })
})

describe('a hostile server', () => {
  it('cannot hide a result from the relay with an id that SDKs treat as the same id', async () => {
    const one = bench()
    for (const [id, answered] of [
      [1, '1'],
      [2, ' 2.0 '],
      ['3', 3],
    ]) {
      void one.client({ id, method: 'tools/call', params: { name: 'read', arguments: {} } })
      void one.server({ id: answered, result: BIG })
    }
    await one.settle()
    expect(one.toClient.map(({ message }) => message.id)).toEqual([1, 2, '3'])
    for (const { message } of one.toClient) expect(JSON.stringify(message).length).toBeLessThan(8_000)
  })

  it('cannot hide an error from the relay, or a result if the arguments are nested too deep', async () => {
    const one = bench()
    let deep: unknown = 1
    for (let level = 0; level < 20_000; level += 1) deep = [deep]
    void one.client({ id: 1, method: 'tools/call', params: { name: 'read', arguments: { deep } } })
    void one.server({ id: 1, result: BIG })
    void one.client({ id: 2, method: 'tools/call', params: { name: 'read' } })
    void one.server({ id: 2, error: { code: 1, message: LOG } })
    await one.settle()
    expect(one.toClient).toHaveLength(2)
    for (const { message } of one.toClient) expect(JSON.stringify(message).length).toBeLessThan(8_000)
    expect(one.errors).toEqual([])
  })

  it('cannot answer twice, or before a request, in a form that a client would accept', async () => {
    const one = bench()
    void one.server({ id: 1, result: BIG })
    one.call('read', SMALL, 1)
    void one.server({ id: 1, result: BIG })
    await one.settle()
    // A client accepts only the first answer to a request.
    expect(one.toClient.map(({ message }) => message.result)).toEqual([BIG, SMALL, BIG])
  })
})

describe('OrderedQueue', () => {
  it('delivers a ready value at once if nothing waits, and returns the result of the receiver', () => {
    const queue = new OrderedQueue()
    expect(queue.push(1, (value) => value + 1)).toBe(2)
    expect(queue.settling).toBeUndefined()
  })

  it('delivers values in the order in which they were pushed, even if a later value is ready first', async () => {
    const step = fc.tuple(fc.constantFrom('push ready', 'push waiting', 'make ready'), fc.nat())
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const queue = new OrderedQueue()
      const waiting: (() => void)[] = []
      const delivered: number[] = []
      let pushed = 0
      const makeReady = (choice: number): void => waiting.splice(choice % waiting.length, 1)[0]?.()
      for (const [action, choice] of steps) {
        if (action === 'make ready') {
          if (waiting.length > 0) makeReady(choice)
          await tick()
          continue
        }
        const value = pushed++
        const { promise, resolve } = Promise.withResolvers<number>()
        if (action === 'push waiting') waiting.push(() => resolve(value))
        void queue.push(action === 'push waiting' ? promise : value, (ready) => delivered.push(ready))
      }
      while (waiting.length > 0) makeReady(steps.length)
      await queue.settling
      expect(delivered).toEqual(Array.from({ length: pushed }, (_, value) => value))
      expect(queue.settling).toBeUndefined()
    })
    await fc.assert(property, propertyRuns(50, 1_000))
  })

  it('rejects a push whose value or receiver fails, and delivers the next', async () => {
    const queue = new OrderedQueue()
    const delivered: number[] = []
    const deliver = (value: number): unknown => delivered.push(value)
    const { promise, reject } = Promise.withResolvers<number>()
    const first = queue.push(promise, deliver)
    const second = queue.push(2, () => {
      throw new Error('not taken')
    })
    const third = queue.push(3, deliver)
    reject(new Error('not ready'))
    await expect(first).rejects.toThrow('not ready')
    await expect(second).rejects.toThrow('not taken')
    await third
    expect(delivered).toEqual([3])
  })

  it('delivers the next value while a receiver is still running', async () => {
    const queue = new OrderedQueue()
    const delivered: number[] = []
    void queue.push(Promise.resolve(1), () => new Promise(() => {}))
    await queue.push(Promise.resolve(2), (value) => delivered.push(value))
    expect(delivered).toEqual([2])
  })
})

describe('chooseToolName', () => {
  it('adds a prefix if the name is used, and a number if that name is used, too', () => {
    const taken = new Set<string>()
    const names = Array.from({ length: 4 }, () => {
      const name = chooseToolName(taken)
      taken.add(name)
      return name
    })
    expect(names).toEqual(['', 'spillway_', 'spillway_2_', 'spillway_3_'].map((prefix) => prefix + RETRIEVAL_TOOL_NAME))
  })

  it('never returns a name that is in use', () => {
    const name = fc
      .constantFrom('', 'spillway_', 'spillway_2_', 'spillway_3_')
      .map((prefix) => prefix + RETRIEVAL_TOOL_NAME)
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(name, fc.string())), (names) => {
        expect(names).not.toContain(chooseToolName(new Set(names)))
      }),
    )
  })
})

describe('listRetrievalTool', () => {
  it('lists the tool with its schema as read-only, and tells Claude Code the length of its answers', () => {
    const { retrievalTool, options } = offloader()
    expect(listRetrievalTool(offloader(), 'a_name')).toEqual({
      name: 'a_name',
      title: 'Search offloaded tool results',
      description: retrievalTool.description,
      inputSchema: retrievalTool.inputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      _meta: { [SIZE]: options.maxRetrievalTokens * 6 },
    })
  })
})

describe('listServerTool', () => {
  it('returns the same tool if nothing has to change', () => {
    const tool = { name: 'read', inputSchema: { type: 'object' }, _meta: { a: 1 } }
    expect(listServerTool(offloader(), tool)).toBe(tool)
  })

  it('removes only the output schema', () => {
    const tool = { name: 'read', title: 'Read', _meta: { a: 1 }, execution: { taskSupport: 'required' } }
    expect(listServerTool(offloader(), { ...tool, outputSchema: { type: 'object' } })).toEqual(tool)
  })

  it('tells hosts about a limit above their own limit, unless the server has told them', () => {
    const large = offloader({ maxResultTokens: 50_000 })
    expect(listServerTool(large, { name: 'read', _meta: { a: 1 } })).toEqual({
      name: 'read',
      _meta: { a: 1, [SIZE]: 300_000 },
    })
    expect(listServerTool(offloader({ maxResultTokens: 1_000_000 }), { name: 'read' })).toEqual({
      name: 'read',
      _meta: { [SIZE]: 500_000 },
    })
    const told = { name: 'read', _meta: { [SIZE]: 7 } }
    expect(listServerTool(large, told)).toBe(told)
  })
})
