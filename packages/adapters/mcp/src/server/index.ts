/** A server that searches and pages what is stored, with the MCP SDK 2. */
export { retrievalServer, type RetrievalServerOptions } from './retrieval-server.ts'
