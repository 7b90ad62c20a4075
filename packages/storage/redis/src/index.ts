export type { RedisClient, RedisStorageOptions } from './redis-options.ts'
export { RedisStorage } from './redis-storage.ts'
