/** Keeps large tool results out of the context of agents built with the Claude Agent SDK. */
export { offloadHooks, type OffloadHooks } from './offload-hooks.ts'
export { offloadOptions } from './offload-options.ts'
export { retrievalServer } from './retrieval-server.ts'
export type { OffloadSettings } from './settings.ts'
