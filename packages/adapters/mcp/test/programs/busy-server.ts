/** A test server that answers many calls at once, sends logs and progress, and exits on request. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'busy', version: '1.0.0' }, { capabilities: { logging: {}, tools: {} } })
const line = 'a line of a log that is not short\n'

server.registerTool(
  'read',
  { inputSchema: { index: z.number(), lines: z.number() } },
  async ({ index, lines }, { _meta: meta, sendNotification }) => {
    const progressToken = meta?.progressToken
    if (progressToken !== undefined)
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: index } })
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data: `reads ${index}` } })
    return { content: [{ type: 'text', text: `result ${index}\n${line.repeat(lines)}` }] }
  },
)
server.registerTool('die', { inputSchema: { code: z.number() } }, ({ code }) => process.exit(code))
let isLastAnswer = false
server.registerTool('last-words', { inputSchema: { lines: z.number() } }, ({ lines }) => {
  isLastAnswer = true
  return { content: [{ type: 'text', text: line.repeat(lines) }] }
})
server.registerTool('wait', {}, () => new Promise<never>(() => {}))
server.registerTool('environment', {}, () => ({
  content: [{ type: 'text', text: String(process.env['BUSY_API_KEY']?.length) }],
}))

const transport = new StdioServerTransport()
const send = transport.send.bind(transport)
transport.send = async (message) => {
  await send(message)
  if (isLastAnswer) process.stdout.write('', () => process.exit(3))
}
await server.connect(transport)
