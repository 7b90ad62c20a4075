/** Keeps large tool results out of the context of agents built with Genkit. */
export { offloadMiddleware, type OffloadMiddleware, type OffloadOptions } from './offload-middleware.ts'
export type { OffloadConfig } from './offload-config.ts'
export type { ScopeRun } from './run-scope.ts'
