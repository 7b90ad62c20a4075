/** Keeps large tool results out of the context of agents built with the OpenAI Agents SDK. */
export { offloadRunner } from './offload-runner.ts'
export { offloadTools } from './offload-tools.ts'
export type { OffloadOptions, ScopeRun } from './run-scope.ts'
export { retrievalTool, type RetrievalTool } from './retrieval-tool.ts'
