/** An MCP server over stdio for tests of the proxy. */
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { anyInputSchema } from '@spillway/core/adapter'

const [name = 'logs'] = process.argv.slice(2)
const server = new McpServer({ name, version: '1.0.0' })
const anything = anyInputSchema({ type: 'object' })
const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: value }],
})

server.registerTool('echo', { inputSchema: anything }, (input) => text((input as { text: string }).text))
server.registerTool('read_log', { inputSchema: anything }, (input) =>
  text(
    Array.from(
      { length: (input as { lines: number }).lines },
      (_, line) => `line ${line}: ${line % 1_000 === 999 ? 'FAILED' : 'ok'}`,
    ).join('\n'),
  ),
)
// This tool returns a secret, to test that only the result of the call contains it.
server.registerTool('secret', { inputSchema: anything }, () => text(String(process.env['SERVER_SECRET'])))
server.registerTool('crash', { inputSchema: anything }, () => process.exit(7))
await server.connect(new StdioServerTransport())
