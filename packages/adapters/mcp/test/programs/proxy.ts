/** A proxy for tests: `proxy.ts <command> <arguments…>` stands before that server, over its own standard input and output. */
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { ChildConnection, connectProxy, StdioConnection, Upstream } from '@spillway/mcp/proxy'

const [command = '', ...args] = process.argv.slice(2)
const server = new Upstream({
  name: 'upstream',
  open: () => new ChildConnection({ command, args }),
  restart: false,
  onEvent: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
})
const client = new StdioConnection({ input: process.stdin, output: process.stdout })
const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
await connectProxy({ client, server }, offloader, {
  onError: ({ message }) => process.stderr.write(`${message}\n`),
})
process.exit()
