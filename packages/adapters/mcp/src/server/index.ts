/** A server that searches and pages stored content, with the MCP SDK 2. */
export { retrievalServer, type RetrievalServerOptions } from './retrieval-server.ts'
