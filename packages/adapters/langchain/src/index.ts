/** Keeps large tool results out of the context of agents built with LangChain and LangGraph. */
export { offloadMiddleware } from './offload-middleware.ts'
export { offloadTools } from './offload-tools.ts'
export type { OffloadMiddlewareOptions, OffloadOptions } from './options.ts'
export { retrievalTool } from './retrieval-tool.ts'
export type { RunScope, ScopeRun } from './run-scope.ts'
