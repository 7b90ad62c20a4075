/** Keeps large tool results out of the context of agents built with Strands Agents. */
export { ContextOffloader, type ContextOffloaderConfig } from './context-offloader.ts'
export { offloadPlugin, type OffloadOptions, type ScopeRun } from './offload-plugin.ts'
