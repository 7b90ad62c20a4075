/** Keeps large tool results out of the context of agents built with VoltAgent. */
export { offloadHooks, type OffloadHooksOptions } from './offload-hooks.ts'
export type { OffloadOptions, OffloadRun } from './offload-options.ts'
export { offloadTools, type AnyTool } from './offload-tools.ts'
export { retrievalTool, type RetrievalOutput } from './retrieval-tool.ts'
