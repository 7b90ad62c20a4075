/** Keeps large tool results out of the context of agents built with Mastra. */
export { offloadProcessor, type OffloadProcessor } from './offload-processor.ts'
export { retrievalTool, type RetrievalTool } from './retrieval-tool.ts'
export type { OffloadOptions, ScopeRun } from './run-scope.ts'
