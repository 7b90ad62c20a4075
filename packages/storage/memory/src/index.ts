export { InMemoryStorage, type InMemoryStorageOptions } from './in-memory-storage.ts'
