import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

/** Serve MCP over HTTP until the input of the process ends, and print the URL. Each session has its own transport. */
export async function serveSessions(open: (transport: StreamableHTTPServerTransport) => Promise<void>): Promise<void> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (known !== undefined) return known.handleRequest(request, response)
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await open(transport)
    return transport.handleRequest(request, response)
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`))
  process.stdin.once('end', () => process.exit()).resume()
}
