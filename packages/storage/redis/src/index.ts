export type { RedisClient } from './redis-client.ts'
export type { RedisNodeAddress, RedisStorageOptions } from './redis-options.ts'
export { RedisStorage } from './redis-storage.ts'
