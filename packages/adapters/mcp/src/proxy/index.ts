/** The proxy of `spillway mcp`, for servers that run as a program or over HTTP. */
export type { Fields, Message, RequestId } from '../relay/message.ts'
export { ChildConnection, type ServerCommand } from './child-connection.ts'
export type { Connection, ConnectionHandlers } from './connection.ts'
export { connectProxy, type ProxyEnd, type ProxyEnds } from './connect-proxy.ts'
export { StdioConnection, type StdioConnectionOptions } from './stdio-connection.ts'
export { openServer, type ProxiedServer, type UpstreamEvent } from './upstream.ts'
