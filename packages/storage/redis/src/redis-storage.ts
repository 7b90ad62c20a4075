import { ManagedStorage } from '@spillway/core/driver'
import type { RedisClient } from './redis-client.ts'
import { openConnection } from './open-connection.ts'
import { RedisDriver } from './redis-driver.ts'
import { redisSettings, type RedisStorageOptions } from './redis-options.ts'

/**
 * Keep content in Redis: a single server, one behind sentinels, or a Cluster; 6.2 or later.
 *
 * Constructing connects to nothing. While the server cannot be reached, operations reject with the code `unavailable`
 * and a message that names the fix, each within its timeout; the same storage works again once the server does.
 *
 * @param target - A url, options, or a client of ioredis, which stays yours and is never closed.
 * @param options - Further options, beside a url or a client.
 * @throws TypeError where an option is unknown or impossible, or the client would not find what it has stored.
 *
 * @example
 * ```ts
 * import { RedisStorage } from '@spillway/redis'
 *
 * const url = process.env['SPILLWAY_TEST_REDIS_URL']
 * const storage = new RedisStorage(url ?? 'redis://localhost:6379', { prefix: 'docs', ttlMs: 7 * 24 * 3_600_000 })
 * if (url !== undefined) {
 *   const session = storage.scope('tenant-1', 'session-1')
 *   const reference = await session.store('call_1_0', new TextEncoder().encode('hello'))
 *   const { content, contentType } = await session.retrieve(reference)
 *   console.assert(new TextDecoder().decode(content) === 'hello' && contentType === 'text/plain')
 * }
 * await storage.close()
 * ```
 */
export class RedisStorage extends ManagedStorage {
  constructor(target: string | RedisClient | RedisStorageOptions, options: RedisStorageOptions = {}) {
    const { connection, prefix, chunkBytes, managed } = redisSettings(target, options)
    const { now = Date.now } = managed
    super(new RedisDriver({ connection: openConnection(connection), prefix, chunkBytes, now }), managed)
  }
}
