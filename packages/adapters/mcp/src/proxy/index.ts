/** The proxy of `spillway mcp`: one or several servers, as programs or over HTTP. */
export type { Fields, Message, RequestId } from '../relay/message.ts'
export { ChildConnection, type ServerCommand } from './child-connection.ts'
export type { Connection, ConnectionHandlers } from './connection.ts'
export { connectProxy, type ProxyEnd, type ProxyEnds } from './connect-proxy.ts'
export { openServers, type OpenServersOptions, type ProxiedServer } from './open-servers.ts'
export { StdioConnection, type StdioConnectionOptions } from './stdio-connection.ts'
export type { UpstreamEvent } from './upstream.ts'
