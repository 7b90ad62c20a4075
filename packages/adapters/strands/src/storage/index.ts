/** Makes storages for Strands' own `ContextOffloader`, in its unified form. Needs Strands 1.10. */
export { strandsStorage, type KeyedStorage } from './strands-storage.ts'
