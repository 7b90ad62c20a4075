/** Keeps large results of MCP tools out of the context: for servers of your own, and for clients of any server. */
export { offloadServer, type ConnectableServer } from './offload-server.ts'
export { offloadTransport } from './offload-transport.ts'
export type { McpTransport } from './relay-transport.ts'
export type { McpOffloadOptions } from './relay/relay-options.ts'
