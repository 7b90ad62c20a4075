import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { clusterUrl, redisSettings, type RedisStorageOptions } from './redis-options.ts'

const URL = 'redis://localhost'

test('a URL, options or a client can be passed, and options may be a separate argument', () => {
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
  ['Unknown option "tllMs". Known: url, client', URL, { tllMs: 1 } as RedisStorageOptions],
  ['either a url or a client', { url: URL, client: new Redis({ lazyConnect: true }) }],
  ['client must be a Redis or Cluster', { client: {} as Redis }],
  ['url must be a string', { url: 6379 as never }],
  ['connection must be an object', URL, { connection: null as never }],
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
  ['RedisStorage needs a server', undefined as never],
])('%s', (message, target, more = {}) => {
  expect(() => redisSettings(target, more)).toThrow(message)
  expect(() => redisSettings(target, more)).toThrow(TypeError)
})

test('a Cluster has nodes, and credentials for each', () => {
  expect(clusterUrl('redis+cluster://us%40er:p%3Ass@a:7000,b,[::1]:7002/')).toEqual({
    nodes: [
      { host: 'a', port: 7000 },
      { host: 'b', port: 6379 },
      { host: '::1', port: 7002 },
    ],
    options: { username: 'us@er', password: 'p:ss' },
  })
  expect(clusterUrl('rediss+cluster://:secret@a')).toEqual({
    nodes: [{ host: 'a', port: 6379 }],
    options: { password: 'secret', tls: {} },
  })
})

test.each(['redis://localhost', 'rediss://user:p@ss@host:1/2'])('%s is not a Cluster', (url) => {
  expect(clusterUrl(url)).toBeUndefined()
})

test.each([
  ['http://localhost', 'begins with redis://'],
  ['', 'begins with redis://'],
  ['redis://user:hunter2@a:1,b:2', 'Several hosts are a Cluster'],
  ['redis://user:hunter2@a b', 'cannot be read'],
  ['redis+cluster://user:hunter2@a:1/2', 'a Cluster has one database'],
  ['redis+cluster://', 'Node 1 of the url must be a host'],
  ['redis+cluster://a:1,', 'Node 2 of the url must be a host'],
  ['redis+cluster://user:hunter2@a:b', 'Node 1 of the url must be a host'],
  ['redis+cluster://user:hunter2', 'Node 1 of the url must be a host'],
  ['redis+cluster://user:hunter2%@a', 'Write %25'],
  ['redis://user:hunter2%@a', 'Write %25'],
  ['redis:user:hunter2@a', 'begins with redis://'],
  ['redis://hunter2/x@a', 'percent-encoded'],
  ['redis://user:1?hunter2@a', 'percent-encoded'],
  ['redis://user:1#hunter2@a', 'percent-encoded'],
])('%s is refused without its password', (url, message) => {
  expect(() => clusterUrl(url)).toThrow(message)
  expect(() => clusterUrl(url)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('hunter2') }))
})
