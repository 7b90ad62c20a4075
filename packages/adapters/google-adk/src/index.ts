/** Keeps large tool results out of the context of agents built with Google's Agent Development Kit. */
export { offloadPlugin } from './offload-plugin.ts'
export { retrievalTool } from './retrieval-tool.ts'
export type { OffloadOptions, ScopeRun } from './run-scope.ts'
export { StorageArtifactService } from './storage-artifact-service.ts'
