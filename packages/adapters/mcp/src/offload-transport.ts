import type { ContextOffloader } from '@spillway/core'
import { relayTransport, type McpTransport } from './relay-transport.ts'
import { assertMcpOptions, type McpOffloadOptions } from './relay/relay-options.ts'

/**
 * Let a client of any MCP server get previews and references for large results, and offer it the retrieval tool.
 *
 * All other messages pass unchanged and in order.
 *
 * @param offloader - The offloader of one session: `offloader.forScope(tenant, session)`.
 * @throws TypeError for an invalid argument.
 *
 * @example
 * ```ts
 * import { Client } from '@modelcontextprotocol/client'
 * import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadTransport } from '@spillway/mcp'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const [ours, theirs] = InMemoryTransport.createLinkedPair()
 * await new McpServer({ name: 'logs', version: '1.0.0' }).connect(theirs)
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const client = new Client({ name: 'agent', version: '1.0.0' })
 * await client.connect(offloadTransport(ours, offloader.forScope('session-1')))
 * console.assert(client.getServerVersion()?.name === 'logs')
 * ```
 */
export function offloadTransport<Transport extends McpTransport>(
  transport: Transport,
  offloader: ContextOffloader,
  options: McpOffloadOptions = {},
): Transport {
  assertMcpOptions(offloader, options, 'offloadTransport(transport, new ContextOffloader({ storage }))')
  if (typeof (Object(transport) as Partial<McpTransport>).send !== 'function')
    throw new TypeError(`transport must be a transport of the MCP SDK, got ${typeof transport}.`)
  return relayTransport(transport, { ...options, offloader }, 'client')
}
