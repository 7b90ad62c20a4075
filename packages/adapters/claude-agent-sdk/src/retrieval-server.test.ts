import { beforeEach, expect, it } from 'vitest'
import { serveTool, type ServedCall } from './retrieval-server.ts'

interface Connection {
  onmessage?: (message: object) => void
  onclose?: () => void
  start: () => Promise<void>
  send: (message: object) => Promise<void>
}

interface Connected {
  readonly sent: object[]
  readonly connection: Connection
}

let calls: { input: unknown; context: ServedCall }[]
let answer: (input: unknown, context: ServedCall) => Promise<object>

beforeEach(() => {
  calls = []
  answer = async () => ({ content: [] })
})

const server = serveTool('logs', '1', {
  name: 'read',
  description: 'Read.',
  inputSchema: { type: 'object' },
  async call(input, context) {
    calls.push({ input, context })
    return answer(input, context)
  },
})

async function connect(): Promise<Connected> {
  const sent: object[] = []
  const connection: Connection = {
    start: async () => {},
    send: async (message) => void sent.push(message),
  }
  await server.instance.connect(connection as never)
  return { sent, connection }
}

async function ask({ sent, connection }: Connected, message: object): Promise<unknown> {
  const before = sent.length
  connection.onmessage?.({ jsonrpc: '2.0', ...message })
  await expect.poll(() => sent.length).toBeGreaterThan(before)
  return sent.at(-1)
}

it('the retrieval server supports only the part of MCP that one tool needs', async () => {
  const connected = await connect()
  expect(await ask(connected, { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } })).toEqual({
    jsonrpc: '2.0',
    id: 0,
    result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'logs', version: '1' } },
  })
  connected.connection.onmessage?.({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect(await ask(connected, { id: 'a', method: 'ping' })).toMatchObject({ id: 'a', result: {} })
  const tool = { name: 'read', description: 'Read.', inputSchema: { type: 'object' } }
  expect(await ask(connected, { id: 2, method: 'tools/list' })).toMatchObject({ result: { tools: [tool] } })
  expect(await ask(connected, { id: 3, method: 'resources/list' })).toMatchObject({ error: { code: -32_601 } })
  const other = { id: 4, method: 'tools/call', params: { name: 'write' } }
  expect(await ask(connected, other)).toMatchObject({ error: { code: -32_602 } })
  expect(connected.sent).toHaveLength(5)
})

it("the retrieval server passes on the unchanged input and the model's id of the call", async () => {
  const connected = await connect()
  const input = { anything: [1] }
  const params = { name: 'read', arguments: input, _meta: { 'claudecode/toolUseId': 'toolu_1' } }
  await ask(connected, { id: 1, method: 'tools/call', params })
  await ask(connected, { id: 2, method: 'tools/call', params: { name: 'read' } })
  expect(calls).toMatchObject([{ input, context: { toolUseId: 'toolu_1' } }, { context: { toolUseId: undefined } }])
})

it('the retrieval server stops without an answer if a call is canceled or its session ends', async () => {
  answer = () => new Promise(() => {})
  const [one, other] = [await connect(), await connect()]
  for (const { connection } of [one, other])
    connection.onmessage?.({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'read' } })
  one.connection.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
  expect(calls.map(({ context }) => context.signal.aborted)).toEqual([true, false])
  other.connection.onclose?.()
  expect(calls[1]?.context.signal.aborted).toBe(true)
  expect([...one.sent, ...other.sent]).toEqual([])
})
