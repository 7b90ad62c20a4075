/** The proxy behind `spillway mcp`: servers as programs or over HTTP, one or several, for clients over stdio or HTTP. */
export { ChildConnection, type ServerCommand } from './child-connection.ts'
export type { Connection, ConnectionHandlers } from './connection.ts'
export { connectProxy, type ProxyEnd, type ProxyEnds } from './connect-proxy.ts'
export { MergedServers, type MergedServer } from './merged-servers.ts'
export { StdioConnection, type StdioConnectionOptions } from './stdio-connection.ts'
export { Upstream, type UpstreamEvent, type UpstreamOptions } from './upstream.ts'
export type { Message } from '../relay/message.ts'
