import { setImmediate as tick } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FakeConnection, newTold, request, type Told } from '../../test/fake-connection.ts'
import { fieldsOf, type Message } from '../relay/message.ts'
import { MergedServers } from './open-servers.ts'

/** What a server answers, by method; an error where there is none. */
type Answers = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => object>>

interface Bench {
  readonly merged: MergedServers
  readonly told: Told
  readonly one: FakeConnection
  readonly two: FakeConnection
  /** Ask as the client, and return the answer. */
  readonly ask: (id: string | number, method: string, params?: object) => Promise<Message | undefined>
}

const settle = async (): Promise<void> => {
  for (let round = 0; round < 20; round += 1) await tick()
}

function serverOf(answers: Answers): FakeConnection {
  const connection = new FakeConnection()
  connection.onSend = ({ id, method, params }) => {
    if (id === undefined || method === undefined) return
    const answer = answers[method]
    const error = { code: -32_601, message: 'Method not found' }
    connection.receive(answer === undefined ? { id, error } : { id, ...answer(params ?? {}) })
  }
  return connection
}

async function bench(first: Answers, second: Answers): Promise<Bench> {
  const [one, two] = [serverOf(first), serverOf(second)]
  const servers = [
    { name: 'one', prefix: 'one_', connection: one },
    { name: 'two', prefix: 'two_', connection: two },
  ]
  const merged = new MergedServers(servers, { name: 'merged', version: '1.0.0' })
  const told = newTold()
  await merged.start(told)
  return {
    merged,
    told,
    one,
    two,
    async ask(id, method, params) {
      await merged.send(request(id, method, params))
      await settle()
      return told.messages.find((message) => message.id === id)
    },
  }
}

const result =
  (fields: object): (() => object) =>
  () => ({ result: fields })
const echo = (params: object): object => ({ result: params })
const sentTo = (connection: FakeConnection, method: string): readonly unknown[] =>
  connection.sent.filter((message) => message.method === method).map(({ params }) => params)

describe('names of several servers', () => {
  it('have the prefix of their server in complete lists, over all pages', async () => {
    const pages: Answers = {
      'tools/list': ({ cursor }) =>
        cursor === 'next'
          ? { result: { tools: [{ name: 'b' }] } }
          : { result: { tools: [{ name: 'a', title: 'A' }], nextCursor: 'next' } },
    }
    const { ask } = await bench(pages, { 'tools/list': result({ tools: [{ name: 'a' }] }) })
    expect((await ask(1, 'tools/list', { cursor: 'of the client' }))?.result).toEqual({
      tools: [{ name: 'one_a', title: 'A' }, { name: 'one_b' }, { name: 'two_a' }],
    })
  })

  it('are listed once if a server repeats its first page or has overlapping pages', async () => {
    const first = { tools: [{ name: 'a' }, { name: 'b' }, { name: 'a' }], nextCursor: 'next' }
    let count = 0
    const repeated = (): object => ({ result: { tools: [{ name: 'a' }], nextCursor: String((count += 1)) } })
    const { ask, one, two } = await bench({ 'tools/list': result(first) }, { 'tools/list': repeated })
    expect((await ask(1, 'tools/list'))?.result).toEqual({
      tools: [{ name: 'one_a' }, { name: 'one_b' }, { name: 'two_a' }],
    })
    expect([one.sent.length, two.sent.length]).toEqual([2, 2])
  })

  it('are listed once if two servers have the same name, for the server that gets its calls', async () => {
    const list = (...names: string[]): Answers => ({ 'tools/list': result({ tools: names.map((name) => ({ name })) }) })
    const servers = [
      { name: 'a', prefix: '', connection: serverOf(list('b_read', 'c')) },
      { name: 'b', prefix: 'b_', connection: serverOf(list('read')) },
    ]
    const merged = new MergedServers(servers, { name: 'merged', version: '1.0.0' })
    const told = newTold()
    await merged.start(told)
    await merged.send(request(1, 'tools/list'))
    await settle()
    expect(told.messages[0]?.result).toEqual({ tools: [{ name: 'c' }, { name: 'b_read' }] })
  })

  it('lead to their server without the prefix, in calls, prompts and completions', async () => {
    const answers = { 'tools/call': echo, 'prompts/get': echo, 'completion/complete': echo }
    const { ask, one, two } = await bench(answers, answers)
    expect((await ask(1, 'tools/call', { name: 'two_a', arguments: { b: 1 } }))?.result).toEqual({
      name: 'a',
      arguments: { b: 1 },
    })
    expect((await ask(2, 'prompts/get', { name: 'one_one_a' }))?.result).toEqual({ name: 'one_a' })
    const ref = { type: 'ref/prompt', name: 'two_p' }
    expect((await ask('c', 'completion/complete', { ref, argument: {} }))?.result).toEqual({
      ref: { ...ref, name: 'p' },
      argument: {},
    })
    expect([one.sent.length, two.sent.length]).toEqual([1, 2])
  })

  it('get an error if they belong to no server, and no server is asked', async () => {
    const { ask, one, two } = await bench({ 'tools/call': echo }, {})
    expect((await ask(1, 'tools/call', { name: 'a' }))?.error).toEqual({
      code: -32_602,
      message: 'tools/call: there is no server for "a" here.',
    })
    expect([one.sent, two.sent]).toEqual([[], []])
  })

  it('belong to the server with the longest prefix', async () => {
    const [short, long] = [
      serverOf({ 'tools/call': result({ from: 'short' }) }),
      serverOf({ 'tools/call': result({ from: 'long' }) }),
    ]
    const merged = new MergedServers(
      [
        { name: 'a', prefix: '', connection: short },
        { name: 'b', prefix: 'b_', connection: long },
      ],
      { name: 'merged', version: '1.0.0' },
    )
    const told = newTold()
    await merged.start(told)
    await merged.send(request(1, 'tools/call', { name: 'b_x' }))
    await merged.send(request(2, 'tools/call', { name: 'x' }))
    expect(told.messages.map((message) => fieldsOf(message.result)['from'])).toEqual(['long', 'short'])
  })
})

describe('a handshake with several servers', () => {
  it('is answered with the oldest revision, and all capabilities and instructions', async () => {
    const { ask } = await bench(
      {
        initialize: result({
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true }, logging: {} },
          serverInfo: { name: '1' },
          instructions: 'Be quick.',
        }),
      },
      {
        initialize: result({
          protocolVersion: '2025-06-18',
          capabilities: { tools: {}, resources: { subscribe: true } },
          serverInfo: { name: '2' },
          instructions: 'Be kind.',
        }),
      },
    )
    expect((await ask(1, 'initialize', { capabilities: {} }))?.result).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true }, logging: {}, resources: { subscribe: true } },
      serverInfo: { name: 'merged', version: '1.0.0' },
      instructions: '# one\n\nBe quick.\n\n# two\n\nBe kind.',
    })
  })

  it('fails if a server refuses it', async () => {
    const { ask } = await bench({ initialize: result({ capabilities: {} }) }, {})
    expect((await ask(1, 'initialize'))?.error).toEqual({ code: -32_601, message: 'Method not found' })
  })

  it('of a later revision names the revisions that all servers support', async () => {
    const of = (supportedVersions: string[]): Answers => ({
      'server/discover': result({ supportedVersions, capabilities: {} }),
    })
    const { ask } = await bench(of(['2026-07-28', '2027-01-01']), of(['2026-07-28']))
    expect((await ask(1, 'server/discover'))?.result).toEqual({ supportedVersions: ['2026-07-28'], capabilities: {} })
  })
})

describe('requests without a name', () => {
  it('go to the server that listed the resource or made the task', async () => {
    const of = (uri: string, taskId: string): Answers => ({
      'resources/list': result({ resources: [{ uri }] }),
      'resources/read': result({ from: uri }),
      'tools/call': result({ task: { taskId } }),
      'tasks/result': result({ from: taskId }),
    })
    const { ask } = await bench(of('file:///a', 'task-a'), of('file:///b', 'task-b'))
    await ask(1, 'resources/list')
    await ask(2, 'tools/call', { name: 'two_x' })
    expect((await ask(3, 'resources/read', { uri: 'file:///b' }))?.result).toEqual({ from: 'file:///b' })
    expect((await ask(4, 'tasks/result', { taskId: 'task-b' }))?.result).toEqual({ from: 'task-b' })
  })

  it('go to one server after another until one can answer', async () => {
    const { ask } = await bench(
      { 'resources/read': () => ({ error: { code: -32_002, message: 'not found' } }) },
      {
        'resources/read': ({ uri }) =>
          uri === 'file:///b' ? { result: {} } : { error: { code: -32_002, message: 'none either' } },
        'x/own': result({ a: 1 }),
      },
    )
    expect((await ask(1, 'resources/read', { uri: 'file:///b' }))?.result).toEqual({})
    expect((await ask(2, 'resources/read', { uri: 'file:///c' }))?.error).toEqual({
      code: -32_002,
      message: 'not found',
    })
    expect((await ask(3, 'x/own'))?.result).toEqual({ a: 1 })
    expect((await ask(4, 'x/none'))?.error).toEqual({ code: -32_601, message: 'Method not found' })
  })

  it('go to all servers if they concern all', async () => {
    const { ask, one, two } = await bench({ ping: result({}) }, { ping: result({}), 'logging/setLevel': result({}) })
    expect((await ask(1, 'ping'))?.result).toEqual({})
    expect((await ask(2, 'logging/setLevel', { level: 'error' }))?.result).toEqual({})
    for (const server of [one, two]) expect(sentTo(server, 'logging/setLevel')).toEqual([{ level: 'error' }])
  })

  it('merge the lists of servers, and answer with the refusal if no server has one', async () => {
    const { ask } = await bench({}, { 'prompts/list': result({ prompts: [{ name: 'p' }] }) })
    expect((await ask(1, 'prompts/list'))?.result).toEqual({ prompts: [{ name: 'two_p' }] })
    expect((await ask(2, 'resources/list'))?.error).toMatchObject({ code: -32_601 })
  })
})

describe('requests of servers', () => {
  it('have unique ids and progress tokens, and their answers reach the right server', async () => {
    const { merged, told, one, two } = await bench({}, {})
    for (const server of [one, two])
      server.receive({ id: 1, method: 'sampling/createMessage', params: { _meta: { progressToken: 1 } } })
    const [first, second] = told.messages
    expect(first?.id).not.toBe(second?.id)
    expect(fieldsOf(second?.params?.['_meta'])['progressToken']).toBe(second?.id)
    await merged.send({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: second?.id, progress: 1 },
    })
    await merged.send({ jsonrpc: '2.0', id: second?.id ?? '', result: { model: 'm' } })
    expect(one.sent).toEqual([])
    expect(two.sent).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
      { jsonrpc: '2.0', id: 1, result: { model: 'm' } },
    ])
  })

  it('are canceled at the client by the id that the client knows', async () => {
    const { told, one, two } = await bench({}, {})
    for (const server of [one, two]) server.receive({ id: 1, method: 'elicitation/create', params: {} })
    two.receive({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'late' } })
    two.receive({ method: 'notifications/cancelled', params: { requestId: 9 } })
    expect(told.messages.slice(2)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: told.messages[1]?.id, reason: 'late' },
      },
    ])
  })
})

describe('notifications', () => {
  it('of the client go to all servers, but cancellations only to the server of the request', async () => {
    const { merged, one, two } = await bench({}, {})
    one.onSend = undefined
    two.onSend = undefined
    await merged.send(request(7, 'tools/call', { name: 'two_slow' }))
    await merged.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await merged.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    expect(one.sent.map(({ method }) => method)).toEqual(['notifications/initialized'])
    expect(two.sent.map(({ method }) => method)).toEqual([
      'tools/call',
      'notifications/initialized',
      'notifications/cancelled',
    ])
    expect(two.sent[2]?.params).toEqual({ requestId: two.sent[0]?.id })
  })

  it('of servers reach the client unchanged, in order with answers', async () => {
    const { merged, told, one } = await bench({}, {})
    one.onSend = ({ id }) => {
      one.receive({ method: 'notifications/message', params: { data: 'before' } })
      one.receive({ id, result: {} })
      one.receive({ method: 'notifications/message', params: { data: 'after' } })
    }
    await merged.send(request(1, 'tools/call', { name: 'one_a' }))
    expect(told.messages.map(({ id, params }) => id ?? params?.['data'])).toEqual(['before', 1, 'after'])
  })
})

describe('servers that exit', () => {
  it('leave the others running, get error answers, and change the lists of tools', async () => {
    const initialize = result({ capabilities: { tools: { listChanged: true }, prompts: {} } })
    const { ask, told, one, two } = await bench({ initialize }, { initialize, 'tools/call': echo })
    await ask(1, 'initialize')
    one.end('exit code 1')
    expect(told.messages.slice(1)).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
    expect(told.closes).toEqual([])
    expect((await ask(2, 'tools/call', { name: 'one_a' }))?.error).toMatchObject({
      message: 'MCP server one has ended.',
    })
    expect((await ask(3, 'tools/call', { name: 'two_a' }))?.result).toEqual({ name: 'a' })
    two.end('exit code 2')
    expect(told.closes).toEqual(['exit code 2'])
  })

  it('before they are ready close the others and reject', async () => {
    const one = serverOf({})
    const merged = new MergedServers(
      [
        { name: 'one', prefix: 'one_', connection: one },
        { name: 'two', prefix: 'two_', connection: new FakeConnection(new Error('no such command')) },
      ],
      { name: 'merged', version: '1.0.0' },
    )
    await expect(merged.start(newTold())).rejects.toThrow('no such command')
    expect(one.closes).toBe(1)
  })
})
