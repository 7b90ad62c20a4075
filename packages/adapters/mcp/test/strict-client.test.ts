/** Tests strict clients of both SDKs, in every revision, with each way to offload between client and server. */
import { Client as ClientV2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as InMemoryTransportV1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { ContextOffloader, type ContextOffloaderOptions, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { offloadServer, offloadTransport, type McpOffloadOptions } from '../src/index.ts'
import { streamPair } from './streams.ts'

const LOG = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}: all is well`).join('\n')
const PREFIXED = `spillway_${RETRIEVAL_TOOL_NAME}`
const INFO = { name: 'strict', version: '1.0.0' }
const REVISION = '2026-07-28'

/** Methods that both clients have. */
interface StrictClient {
  listTools(): Promise<{
    tools: { name: string; outputSchema?: unknown; _meta?: Record<string, unknown> | undefined }[]
  }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<Record<string, unknown>>
  readResource(params: { uri: string }): Promise<{ contents: { uri: string; mimeType?: string | undefined }[] }>
  listResources(): Promise<{ resources: unknown[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>
  close(): Promise<void>
}

interface Setup {
  readonly offloader: ContextOffloader
  readonly options: McpOffloadOptions
  /** Names of tools that return their own name. */
  readonly names: readonly string[]
}

const rowsOf = (count: number): { rows: { id: number }[] } => ({
  rows: Array.from({ length: count }, (_, id) => ({ id })),
})
const report = {
  inputSchema: z.object({ count: z.number() }),
  outputSchema: z.object({ rows: z.array(z.object({ id: z.number() })) }),
}
const reportOf = ({
  count,
}: {
  count: number
}): { content: { type: 'text'; text: string }[]; structuredContent: { rows: { id: number }[] } } => {
  const structuredContent = rowsOf(count)
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

function serverV1(names: readonly string[]): McpServerV1 {
  const server = new McpServerV1(INFO)
  server.registerTool('report', report, reportOf)
  server.registerTool('read_log', {}, () => ({ content: [{ type: 'text', text: LOG }] }))
  server.registerTool('fail', {}, () => {
    throw new Error(`${LOG}\nFATAL: it is over`)
  })
  for (const name of names)
    server.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `the tool ${name}` }] }))
  return server
}

function serverV2(names: readonly string[]): McpServer {
  const server = new McpServer(INFO)
  server.registerTool('report', report, reportOf)
  server.registerTool('read_log', {}, () => ({ content: [{ type: 'text', text: LOG }] }))
  server.registerTool('fail', {}, () => {
    throw new Error(`${LOG}\nFATAL: it is over`)
  })
  for (const name of names)
    server.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `the tool ${name}` }] }))
  return server
}

const strictV1 = (): ClientV1 => new ClientV1(INFO, { enforceStrictCapabilities: true })
const strictV2 = (revision?: string): ClientV2 =>
  new ClientV2(INFO, {
    enforceStrictCapabilities: true,
    ...(revision !== undefined && { versionNegotiation: { mode: { pin: revision } } }),
  })

/** Ways to put an offloader between a client and a server. */
const ways: Readonly<Record<string, (setup: Setup) => Promise<StrictClient>>> = {
  async 'version 1, offloadServer'({ offloader, options, names }) {
    const [ours, theirs] = InMemoryTransportV1.createLinkedPair()
    await offloadServer(serverV1(names), offloader, options).connect(theirs)
    return connected(strictV1(), (client) => client.connect(ours))
  },
  async 'version 1, offloadTransport'({ offloader, options, names }) {
    const [ours, theirs] = InMemoryTransportV1.createLinkedPair()
    await serverV1(names).connect(theirs)
    return connected(strictV1(), (client) => client.connect(offloadTransport(ours, offloader, options)))
  },
  async 'version 2, offloadServer'({ offloader, options, names }) {
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await offloadServer(serverV2(names), offloader, options).connect(theirs)
    return connected(strictV2(), (client) => client.connect(ours))
  },
  async 'version 2, offloadTransport'({ offloader, options, names }) {
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await serverV2(names).connect(theirs)
    return connected(strictV2(), (client) => client.connect(offloadTransport(ours, offloader, options)))
  },
  async [`revision ${REVISION} by createMcpHandler, offloadServer in each request`]({ offloader, options, names }) {
    const handler = createMcpHandler(() => offloadServer(serverV2(names), offloader, options), { legacy: 'reject' })
    return connected(strictV2(REVISION), (client) => client.connect(overHttp(handler.fetch)))
  },
  async [`revision ${REVISION} by createMcpHandler, offloadTransport`]({ offloader, options, names }) {
    const handler = createMcpHandler(() => serverV2(names), { legacy: 'reject' })
    return connected(strictV2(REVISION), (client) =>
      client.connect(offloadTransport(overHttp(handler.fetch), offloader, options)),
    )
  },
  async [`revision ${REVISION} by serveStdio, offloadServer`]({ offloader, options, names }) {
    const [clientEnd, serverEnd] = streamPair()
    const transport = new StdioServerTransport(serverEnd.input, serverEnd.output)
    serveStdio(() => offloadServer(serverV2(names), offloader, options), { transport, legacy: 'reject' })
    return connected(strictV2(REVISION), (client) =>
      client.connect(new StdioServerTransport(clientEnd.input, clientEnd.output)),
    )
  },
  async [`revision ${REVISION} by serveStdio, offloadTransport`]({ offloader, options, names }) {
    const [clientEnd, serverEnd] = streamPair()
    serveStdio(() => serverV2(names), { transport: new StdioServerTransport(serverEnd.input, serverEnd.output) })
    const transport = new StdioServerTransport(clientEnd.input, clientEnd.output)
    return connected(strictV2(REVISION), (client) => client.connect(offloadTransport(transport, offloader, options)))
  },
}

const overHttp = (fetch: (request: Request) => Promise<Response>): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: (url, init) => fetch(new Request(url, init)),
  })

const open: StrictClient[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()))
})

async function connected<Client extends StrictClient>(
  client: Client,
  connect: (client: Client) => Promise<void>,
): Promise<Client> {
  await connect(client)
  open.push(client)
  return client
}

const newOffloader = (tools?: ContextOffloaderOptions['tools']): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage(), tools }).forScope('tenant')
const textOf = (result: Record<string, unknown>): string =>
  (result['content'] as { readonly text?: string }[]).map(({ text = '' }) => text).join('\n')
const referenceIn = (result: Record<string, unknown>): string =>
  /^ {2}([a-z0-9_]+) \(/m.exec(textOf(result).split('[Stored references:]').at(-1) ?? '')?.[1] ?? 'none'

describe.each(Object.entries(ways))('%s', (way, connect) => {
  const start = (more: Partial<Setup> = {}): Promise<StrictClient> =>
    connect({ offloader: newOffloader(), options: {}, names: [], ...more })

  it('lists the tools of the server without output schemas, and the retrieval tool', async () => {
    const { tools } = await (await start()).listTools()
    expect(tools.map(({ name }) => name)).toEqual(['report', 'read_log', 'fail', RETRIEVAL_TOOL_NAME])
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([])
    expect(tools.at(-1)?._meta).toEqual({ 'anthropic/maxResultSizeChars': expect.any(Number) as number })
  })

  it('returns a small result unchanged for a tool with an output schema', async () => {
    const client = await start()
    await client.listTools()
    const { content, structuredContent } = await client.callTool({ name: 'report', arguments: { count: 3 } })
    expect({ content, structuredContent }).toEqual(reportOf({ count: 3 }))
  })

  it('returns a preview of a large result for a tool with an output schema', async () => {
    const offloader = newOffloader()
    const client = await start({ offloader })
    await client.listTools()
    const result = await client.callTool({ name: 'report', arguments: { count: 1_500 } })
    expect(result['structuredContent']).toBeUndefined()
    expect(textOf(result)).toMatch(/^\[Offloaded: 1 block/)
    const { content } = await offloader.options.storage.retrieve(referenceIn(result))
    expect(JSON.parse(new TextDecoder().decode(content))).toEqual(rowsOf(1_500))
    expect(result['_meta']).toMatchObject({ 'spillway/offloaded': { stored: [{ reference: referenceIn(result) }] } })
  })

  it('keeps the output schema and the whole results of excluded tools', async () => {
    const client = await start({ offloader: newOffloader({ report: { offload: false } }) })
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'report')?.outputSchema).toBeDefined()
    const { structuredContent } = await client.callTool({ name: 'report', arguments: { count: 1_500 } })
    expect(structuredContent).toEqual(rowsOf(1_500))
  })

  it('returns a preview of a large error, which is still an error', async () => {
    const result = await (await start()).callTool({ name: 'fail' })
    expect(result['isError']).toBe(true)
    expect(textOf(result)).toMatch(/^\[Offloaded: 1 block[^]*FATAL: it is over/)
  })

  it('answers retrievals, and marks failed retrievals as errors', async () => {
    const client = await start()
    const reference = referenceIn(await client.callTool({ name: 'read_log' }))
    const call = { name: RETRIEVAL_TOOL_NAME, arguments: { reference, pattern: 'line 777:' } }
    const found = await client.callTool(call)
    expect(found['isError']).toBeUndefined()
    expect(textOf(found)).toContain('> 777| line 777: all is well')
    const wrong = await client.callTool({ name: RETRIEVAL_TOOL_NAME, arguments: { reference: 'no_such_reference' } })
    expect(wrong['isError']).toBe(true)
  })

  // A server that is made for one request does not know the list of an earlier request.
  it.skipIf(way.includes('in each request'))('renames the retrieval tool if the server has its name', async () => {
    const client = await start({ names: [RETRIEVAL_TOOL_NAME] })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).slice(-2)).toEqual([RETRIEVAL_TOOL_NAME, PREFIXED])
    const result = await client.callTool({ name: 'read_log' })
    expect(textOf(result)).toContain(`use ${PREFIXED} with`)
    const own = await client.callTool({
      name: PREFIXED,
      arguments: { reference: referenceIn(result), pattern: 'line 77:' },
    })
    expect(textOf(own)).toContain('> 77| line 77: all is well')
    expect(textOf(await client.callTool({ name: RETRIEVAL_TOOL_NAME }))).toBe(`the tool ${RETRIEVAL_TOOL_NAME}`)
  })

  it('has no resources', async () => {
    const client = await start()
    const result = await client.callTool({ name: 'read_log' })
    expect((result['content'] as { type: string }[]).map(({ type }) => type)).toEqual(['text'])
    await expect(client.readResource({ uri: `spillway:///${referenceIn(result)}` })).rejects.toThrow(
      /not found|does not support|32601|32002/i,
    )
  })
})

describe('tasks of version 1', () => {
  it('have their results offloaded', async () => {
    const taskStore = new InMemoryTaskStore()
    const server = new McpServerV1(INFO, {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
    })
    server.experimental.tasks.registerToolTask(
      'read_log',
      { inputSchema: {}, execution: { taskSupport: 'required' } },
      {
        async createTask(_input, { taskStore: store }) {
          const task = await store.createTask({ ttl: 60_000 })
          await store.storeTaskResult(task.taskId, 'completed', { content: [{ type: 'text', text: LOG }] })
          return { task }
        },
        getTask: async (_input, { taskStore: store, taskId }) => store.getTask(taskId),
        getTaskResult: async (_input, { taskStore: store, taskId }) =>
          CallToolResultSchema.parse(await store.getTaskResult(taskId)),
      },
    )
    const [ours, theirs] = InMemoryTransportV1.createLinkedPair()
    await offloadServer(server, newOffloader()).connect(theirs)
    const client = await connected(strictV1(), (one) => one.connect(ours))
    await client.listTools()
    const messages = []
    for await (const message of client.experimental.tasks.callToolStream({ name: 'read_log', arguments: {} }))
      messages.push(message)
    const last = messages.at(-1)
    expect(messages[0]?.type).toBe('taskCreated')
    expect(last?.type === 'result' && textOf(last.result)).toMatch(/^\[Offloaded: 1 block/)
    expect(last?.type === 'result' && referenceIn(last.result)).toMatch(/^read_log_/)
    taskStore.cleanup()
  })
})
