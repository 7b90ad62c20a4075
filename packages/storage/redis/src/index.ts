export type { RedisClient, RedisNodeAddress, RedisStorageOptions } from './redis-options.ts'
export { RedisStorage } from './redis-storage.ts'
