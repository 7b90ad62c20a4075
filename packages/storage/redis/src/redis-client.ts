import type { Cluster, Redis } from 'ioredis'

/** A client of ioredis: of a single server, of one behind sentinels, or of a Cluster. */
export type RedisClient = Redis | Cluster

/** Tell whether a value is a client of ioredis, also of another copy of it. */
export const isRedisClient = (value: unknown): value is RedisClient =>
  typeof value === 'object' && value !== null && typeof (value as { sendCommand?: unknown }).sendCommand === 'function'
