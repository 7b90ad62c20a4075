import type { ContextOffloader } from '@spillway/core'
import { relayTransport, type McpTransport } from './relay-transport.ts'
import { assertMcpOptions, type McpOffloadOptions } from './relay/relay-options.ts'

/** A server of the MCP SDK 1 or 2. */
export interface ConnectableServer {
  connect(transport: never): Promise<void>
}

/**
 * Let your MCP server answer with previews and references for large results and errors, and offer the retrieval tool.
 *
 * Changes and returns the server, which must not be connected. Tools may be registered before or after this call.
 *
 * @param offloader - The offloader of the client: `offloader.forScope(tenant)`. If the server has several clients, set
 *   the option `scope`.
 * @throws TypeError for an invalid argument, and if the server is connected already.
 *
 * @example
 * ```ts
 * import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadServer } from '@spillway/mcp'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const server = offloadServer(new McpServer({ name: 'logs', version: '1.0.0' }), offloader.forScope('tenant-1'))
 * server.registerTool('read_log', { description: 'Read the log.' }, () => ({
 *   content: [{ type: 'text', text: 'a line of a log\n'.repeat(5_000) }],
 * }))
 * console.assert(!server.isConnected()) // server.connect(transport)
 * ```
 */
export function offloadServer<Server extends ConnectableServer>(
  server: Server,
  offloader: ContextOffloader,
  options: McpOffloadOptions = {},
): Server {
  assertMcpOptions(offloader, options, 'offloadServer(server, new ContextOffloader({ storage }))')
  const { connect, isConnected, transport } = Object(server) as {
    readonly connect?: (transport: McpTransport) => Promise<void>
    readonly isConnected?: () => boolean
    readonly transport?: unknown
  }
  if (typeof connect !== 'function')
    throw new TypeError(`server must be an McpServer or Server of the MCP SDK, got ${typeof server}.`)
  if (isConnected?.call(server) === true || transport !== undefined)
    throw new TypeError('server is connected already. Pass it to offloadServer() before server.connect(transport).')
  const settings = { ...options, offloader }
  const relayed = (to: McpTransport): Promise<void> => connect.call(server, relayTransport(to, settings, 'server'))
  return Object.defineProperty(server, 'connect', { value: relayed, writable: true, configurable: true })
}
