import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { redisSettings, type RedisStorageOptions } from './redis-options.ts'

const URL = 'redis://localhost'

test('a url, options and a client say where Redis is; options may come apart', () => {
  const client = new Redis({ lazyConnect: true })
  expect(redisSettings(URL, { prefix: 'a' })).toMatchObject({
    connection: { url: URL },
    prefix: 'a',
    chunkBytes: 1_044_480,
  })
  expect(redisSettings({ url: URL }, {}).connection.url).toBe(URL)
  expect(redisSettings(client, { ttlMs: 1 })).toMatchObject({ connection: { client }, managed: { ttlMs: 1 } })
  expect(redisSettings({ connection: { host: 'a' } }, {}).connection.connection).toEqual({ host: 'a' })
})

test.each<[string, RedisStorageOptions | string, RedisStorageOptions?]>([
  ['needs a server', {}],
  ['Unknown storage option "tllMs". Known: url, cluster', URL, { tllMs: 1 } as RedisStorageOptions],
  ['one of url, cluster and client, got url and cluster', { url: URL, cluster: [{ host: 'a', port: 1 }] }],
  ['client must be a Redis or Cluster', { client: {} as Redis }],
  ['at least one node', { cluster: [] }],
  [
    '"connection" is for clients that the storage makes',
    new Redis({ lazyConnect: true }) as never,
    { connection: { db: 1 } },
  ],
  ['prefix must be 1 to 100', URL, { prefix: '' }],
  ['prefix must be 1 to 100', URL, { prefix: 'a{b}' }],
  ['prefix must be 1 to 100', URL, { prefix: 'a*' }],
  ['chunkBytes must be a whole number', URL, { chunkBytes: 100 }],
  ['chunkBytes must be a whole number', URL, { chunkBytes: 1e9 }],
  ['commandTimeoutMs must be a positive', URL, { commandTimeoutMs: 0 }],
  ['connectTimeoutMs must be a positive', URL, { connectTimeoutMs: Infinity }],
  ['RedisStorage takes an object of options', null as never],
])('%s', (message, target, more = {}) => {
  expect(() => redisSettings(target, more)).toThrow(message)
  expect(() => redisSettings(target, more)).toThrow(TypeError)
})
