/** An MCP relay built with the SDK that forwards messages unchanged: `node relay-process.ts FOLDER '{"url":"…"}'`. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { serveSessions } from './serve-sessions.ts'

const { url } = JSON.parse(process.argv[3] ?? '{}') as { readonly url: string }

await serveSessions(async (client) => {
  const server = new StreamableHTTPClientTransport(new URL(url))
  Object.assign(client, { onmessage: (message: JSONRPCMessage) => void server.send(message) })
  Object.assign(server, { onmessage: (message: JSONRPCMessage) => void client.send(message) })
  await Promise.all([client.start(), server.start()])
})
