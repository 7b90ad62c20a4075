/** An MCP server over stdio, built with the SDK, with a small tool and a tool that returns a log of any size. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'
import { generateLog } from '../report/generate-log.ts'

const MEGABYTE = 1_000_000
const megabyte = generateLog(MEGABYTE).slice(0, MEGABYTE - 1)
const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: value }],
})

const server = new McpServer({ name: 'log', version: '1.0.0' })
server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text: said }) => text(said))
server.registerTool('read_log', { inputSchema: { megabytes: z.number() } }, ({ megabytes }) =>
  text(`${megabyte}\n`.repeat(megabytes)),
)
await server.connect(new StdioServerTransport())
