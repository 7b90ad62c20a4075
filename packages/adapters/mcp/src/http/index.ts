/** MCP over HTTP for the proxy and the server of `spillway mcp`. */
export { AccessTokens, type AccessToken } from '@spillway/core/http'
export { HttpConnection, type ServerUrl } from './http-connection.ts'
export { HttpSessions, type HttpSessionsOptions } from './http-sessions.ts'
export { serveHttp, type HttpOptions, type HttpService } from './serve-http.ts'
