/** An MCP server over HTTP, built with the SDK, with a tool that returns a log of any length. Sessions are separate. */
import { randomUUID } from 'node:crypto'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { generateLog } from '../report/generate-log.ts'
import { serveSessions } from './serve-sessions.ts'

const log = generateLog(100_000)

await serveSessions((transport) => {
  const server = new McpServer({ name: 'log', version: '1.0.0' })
  // Every result is different, as with real tools.
  server.registerTool('read_log', { inputSchema: { characters: z.number() } }, ({ characters }) => ({
    content: [{ type: 'text', text: `${randomUUID()}\n${log}`.slice(0, characters) }],
  }))
  return server.connect(transport)
})
