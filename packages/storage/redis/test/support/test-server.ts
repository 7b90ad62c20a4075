import { randomUUID } from 'node:crypto'
import { sharedRedis } from '@spillway-internal/services'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import type { StorageDriver } from '@spillway/core'
import { openConnection, redisDriver, type RedisDriverOptions } from '../../src/redis-storage.ts'
import { RedisStorage, type RedisStorageOptions } from '../../src/index.ts'
import { removeKeys } from './raw-keys.ts'

/** The server that a test run shares. Check `available` before use. */
export const shared = await sharedRedis()

/** The URL of the server, or a URL without a server. */
export const sharedUrl = (): string => (shared.available ? shared.url : 'redis://127.0.0.1:1')

/** A storage of one test, and a client that sees its keys. After the test, both are closed and the keys are removed. */
export function testStorage(options: RedisStorageOptions = {}): {
  readonly storage: RedisStorage
  readonly raw: Redis
  readonly prefix: string
} {
  const prefix = options.prefix ?? `test-${randomUUID()}`
  const raw = new Redis(sharedUrl())
  const storage = new RedisStorage(sharedUrl(), { prefix, ...options })
  onTestFinished(async () => {
    await storage.close()
    await removeKeys(raw, `{${prefix}*`)
    raw.disconnect()
  })
  return { storage, raw, prefix }
}

/** A driver of one test, with settings that are not options. */
export function testDriver(prefix: string, options: Partial<RedisDriverOptions> = {}): Required<StorageDriver> {
  const connection = openConnection({
    url: sharedUrl(),
    connection: {},
    commandTimeoutMs: 5_000,
    connectTimeoutMs: 2_000,
  })
  const given = { connection, prefix, chunkBytes: 4_096, now: Date.now, ...options }
  const driver = redisDriver(given) as Required<StorageDriver>
  onTestFinished(() => driver.close())
  return driver
}

/** Bytes that differ by position and seed. */
export function pattern(length: number, seed = 1): Uint8Array {
  const part = Buffer.from(Array.from({ length: Math.min(length, 1_009) }, (_, at) => (at * 31 + seed * 17) & 0xff))
  return new Uint8Array(Buffer.alloc(length, part))
}

/** Compare bytes: `toEqual` takes seconds for a megabyte. */
export const same = (found: Uint8Array, expected: Uint8Array): boolean => Buffer.compare(found, expected) === 0

/** Yield chunks of content. */
export async function* streamOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

/** Yield chunks of content, waiting before each. */
export async function* slowly(parts: readonly Uint8Array[], milliseconds: number): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    yield part
  }
}
