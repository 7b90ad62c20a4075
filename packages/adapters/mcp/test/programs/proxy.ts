/**
 * A proxy for tests: `proxy.ts <folder of the storage> <command> <arguments…>` runs that server, and serves it over
 * standard streams.
 */
import { ContextOffloader } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { ChildConnection, connectProxy, openServer, StdioConnection } from '@spillway/mcp/proxy'

const [directory = '', command = '', ...args] = process.argv.slice(2)
const open = (): ChildConnection => new ChildConnection({ command, args })
const server = openServer({
  name: 'upstream',
  open,
  onEvent: (event) => void process.stderr.write(`${JSON.stringify(event)}\n`),
})
const client = new StdioConnection({ input: process.stdin, output: process.stdout })
const offloader = new ContextOffloader({ storage: new FileStorage(directory) })
await connectProxy({ client, server }, offloader, {
  onError: ({ message }) => process.stderr.write(`${message}\n`),
})
process.exit()
