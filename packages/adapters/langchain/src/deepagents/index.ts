/** Offloading and a file system for agents of deepagents. */
export { deepAgentBackend, deepAgentMiddleware, type DeepAgentBackendOptions } from './deep-agent.ts'
export { StorageBackend, type StorageBackendOptions } from './storage-backend.ts'
