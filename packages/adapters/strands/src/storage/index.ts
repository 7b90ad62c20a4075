/** Makes storages for Strands' own `ContextOffloader`, with the unified interface of Strands. Needs Strands 1.10. */
export { strandsStorage, type KeyedStorage } from './strands-storage.ts'
