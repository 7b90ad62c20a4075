/** Runs the cases of the suite: a small agent, a client of either SDK, and each way to offload between them. */
import { Client as ClientV2, InMemoryTransport as InMemoryTransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as InMemoryTransportV1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport as StdioTransportV1 } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { fromJsonSchema, McpServer as McpServerV2 } from '@modelcontextprotocol/server'
import type { Transport as TransportV2 } from '@modelcontextprotocol/server'
import type { AdapterHarness, CaseOutput, CaseTool, Conversation } from '@spillway-internal/adapter-suite'
import type { ContextOffloader } from '@spillway/core'
import { OFFLOADED_KEY } from '@spillway/core/adapter'
import { z } from 'zod'
import { offloadServer, offloadTransport } from '../src/index.ts'
import { connectProxy, StdioConnection } from '../src/proxy/index.ts'
import { runAgent, type ToolClient } from './agent-loop.ts'
import { annotationsOf, CALL_ID_META_KEY, resultOf, schemaOf } from './case-tools.ts'
import { CLIENT_GAPS, SERVER_GAPS } from './gaps.ts'
import { streamPair } from './streams.ts'

const CLIENT = { name: 'agent', version: '1.0.0' }
const SERVER = { name: 'tools', version: '1.0.0' }

/** Connect a client to the tools of a case, through an offloader if one is given. */
type Connect = (tools: readonly CaseTool[], offloader: ContextOffloader | undefined) => Promise<ToolClient>

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('offloadServer with version 1 of the SDK', connectServerV1, SERVER_GAPS),
    harness('offloadServer with version 2 of the SDK', connectServerV2, SERVER_GAPS),
    harness('offloadTransport with version 1 of the SDK', connectTransportV1, CLIENT_GAPS),
    harness('connectProxy over streams', connectThroughProxy, SERVER_GAPS),
  ].map((one) => [one.name, one]),
)

function harness(name: string, connect: Connect, gaps: AdapterHarness['gaps'] & object): AdapterHarness {
  return {
    name,
    gaps,
    moduleUrl: import.meta.url,
    async run(conversation: Conversation) {
      const session = conversation.offloader?.forScope(conversation.session)
      return runAgent({
        conversation,
        connect: async () => connect(conversation.tools, session),
        // The program ends the turns in its own loop. Servers and proxies do not learn of turns, and have gaps.
        endTurn: async () => (gaps === CLIENT_GAPS ? session?.endTurn() : undefined),
      })
    },
  }
}

async function connectServerV1(...[tools, offloader]: Parameters<Connect>): Promise<ToolClient> {
  const [clientSide, serverSide] = InMemoryTransportV1.createLinkedPair()
  const server = serverV1(tools)
  return clientV1(clientSide, offloader === undefined ? server : offloadServer(server, offloader), serverSide)
}

async function connectServerV2(...[tools, offloader]: Parameters<Connect>): Promise<ToolClient> {
  const [clientSide, serverSide] = InMemoryTransportV2.createLinkedPair()
  const server = serverV2(tools)
  return clientV2(clientSide, offloader === undefined ? server : offloadServer(server, offloader), serverSide)
}

async function connectTransportV1(...[tools, offloader]: Parameters<Connect>): Promise<ToolClient> {
  const [clientSide, serverSide] = InMemoryTransportV1.createLinkedPair()
  const transport = offloader === undefined ? clientSide : offloadTransport(clientSide, offloader)
  return clientV1(transport, serverV1(tools), serverSide)
}

/** Connects through streams, with the same bytes as over the standard input and output of processes. */
async function connectThroughProxy(...[tools, offloader]: Parameters<Connect>): Promise<ToolClient> {
  const [clientEnd, clientSide] = streamPair()
  const [serverSide, serverEnd] = streamPair()
  if (offloader === undefined) {
    clientSide.input.pipe(serverSide.output)
    serverSide.input.pipe(clientSide.output)
  } else {
    const ends = { client: new StdioConnection(clientSide), server: new StdioConnection(serverSide) }
    void connectProxy(ends, offloader)
  }
  const maxBufferSize = 100_000_000
  return clientV1(
    new StdioTransportV1(clientEnd.input, clientEnd.output, { maxBufferSize }),
    serverV1(tools),
    new StdioTransportV1(serverEnd.input, serverEnd.output, { maxBufferSize }),
  )
}

function serverV1(tools: readonly CaseTool[]): McpServerV1 {
  const server = new McpServerV1(SERVER, { capabilities: { tools: {} } })
  for (const tool of tools.filter(({ providerExecuted }) => providerExecuted !== true)) {
    const inputSchema = tool.inputSchema === undefined ? z.looseObject({}) : z.fromJSONSchema(schemaOf(tool))
    const config = { description: `The tool ${tool.name}.`, inputSchema, annotations: annotationsOf(tool) }
    server.registerTool(tool.name, config, async (input: unknown, { _meta: meta, signal, sendNotification }) => {
      const progressToken = meta?.progressToken
      const context = { toolCallId: String(meta?.[CALL_ID_META_KEY]), signal }
      return resultOf(await tool.call(input, context), async (message, progress) => {
        if (progressToken === undefined) return
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message } })
      })
    })
  }
  return server
}

function serverV2(tools: readonly CaseTool[]): McpServerV2 {
  const server = new McpServerV2(SERVER, { capabilities: { tools: {} } })
  for (const tool of tools.filter(({ providerExecuted }) => providerExecuted !== true)) {
    const config = {
      description: `The tool ${tool.name}.`,
      inputSchema: fromJsonSchema(schemaOf(tool)),
      annotations: annotationsOf(tool),
    }
    server.registerTool(tool.name, config, async (input: unknown, { mcpReq: { _meta: meta, signal, notify } }) => {
      const progressToken = meta?.progressToken
      const context = { toolCallId: String(meta?.[CALL_ID_META_KEY]), signal }
      return resultOf(await tool.call(input, context), async (message, progress) => {
        if (progressToken === undefined) return
        await notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      })
    })
  }
  return server
}

async function clientV1(transport: TransportV1, server: McpServerV1, serverSide: TransportV1): Promise<ToolClient> {
  const client = new ClientV1(CLIENT)
  await server.connect(serverSide)
  await client.connect(transport)
  return {
    listTools: async () => (await client.listTools()).tools,
    async callTool({ id, name, input }, { signal, onProgress }) {
      const result = await client.callTool(
        { name, arguments: input as Record<string, unknown>, _meta: { [CALL_ID_META_KEY]: id } },
        undefined,
        { ...(signal !== undefined && { signal }), onprogress: ({ message = '' }) => onProgress(message) },
      )
      return { content: result.content as unknown[], isError: result.isError === true, ...storedOf(result) }
    },
    async close() {
      await client.close()
      await server.close()
    },
  }
}

const storedOf = ({ _meta: meta = {} }: { readonly _meta?: object | undefined }): Pick<CaseOutput, 'stored'> =>
  Object(Object(meta)[OFFLOADED_KEY]) as Pick<CaseOutput, 'stored'>

async function clientV2(transport: TransportV2, server: McpServerV2, serverSide: TransportV2): Promise<ToolClient> {
  const client = new ClientV2(CLIENT)
  await server.connect(serverSide)
  await client.connect(transport)
  return {
    listTools: async () => (await client.listTools()).tools,
    async callTool({ id, name, input }, { signal, onProgress }) {
      const result = await client.callTool(
        { name, arguments: input as Record<string, unknown>, _meta: { [CALL_ID_META_KEY]: id } },
        { ...(signal !== undefined && { signal }), onprogress: ({ message = '' }) => onProgress(message) },
      )
      return { content: result.content, isError: result.isError === true, ...storedOf(result) }
    },
    async close() {
      await client.close()
      await server.close()
    },
  }
}
