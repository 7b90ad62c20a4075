import { describe, expect, onTestFinished, test } from 'vitest'
import { askRedis } from './ask-redis.ts'
import { findRedis, isNewEnough, redisVersion } from './find-redis.ts'
import { startRedis, type RedisOptions, type RedisServer } from './redis-server.ts'

const found = await findRedis()

async function start(options?: RedisOptions): Promise<RedisServer> {
  const server = await startRedis(options)
  onTestFinished(() => server.dispose())
  return server
}

describe.skipIf(!found.available)('a Redis server', () => {
  test('keeps persisted data after a kill', async () => {
    const server = await start({ appendfsync: 'always' })
    await askRedis(server.port, ['SET', 'key', 'value'])
    await server.kill()
    await expect(askRedis(server.port, ['PING'])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await server.start()
    expect(await askRedis(server.port, ['GET', 'key'])).toBe('value')
    await server.stop()
    await expect(askRedis(server.port, ['PING'])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('keeps no data after a kill unless configured', async () => {
    const server = await start()
    await askRedis(server.port, ['SET', 'key', 'value'])
    await server.stop()
    await server.start()
    expect(await askRedis(server.port, ['GET', 'key'])).toBe('')
  })

  test('requires its password, and the rights of its users', async () => {
    const requirepass = 'a "quoted" pass word'
    const server = await start({ requirepass, users: ['reader on >secret ~allowed:* +get'] })
    expect(server.url).toBe(`redis://:${encodeURIComponent(requirepass)}@127.0.0.1:${server.port}`)
    await expect(askRedis(server.port, ['GET', 'key'])).rejects.toThrow('NOAUTH')
    expect(await askRedis(server.port, ['AUTH', requirepass], ['GET', 'key'])).toBe('')
    const reader = ['AUTH', 'reader', 'secret']
    expect(await askRedis(server.port, reader, ['GET', 'allowed:1'])).toBe('')
    await expect(askRedis(server.port, reader, ['GET', 'key'])).rejects.toThrow('NOPERM')
  })

  test('has a memory limit', async () => {
    const server = await start({ maxmemory: '2mb', maxmemoryPolicy: 'noeviction' })
    await expect(askRedis(server.port, ['SET', 'key', 'x'.repeat(3_000_000)], ['SET', 'b', 'c'])).rejects.toThrow('OOM')
  })

  test('reports the reason if it cannot start', async () => {
    await expect(startRedis({ settings: { 'no-such-setting': '1' } })).rejects.toThrow('no-such-setting')
  })

  test('can run several times in one process', async () => {
    const servers = await Promise.all([start(), start(), start()])
    expect(new Set(servers.map(({ port }) => port)).size).toBe(3)
  })
})

test('Redis versions are read, and old ones are refused', () => {
  expect(redisVersion('Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64')).toBe('7.0.15')
  expect(redisVersion('something else')).toBeUndefined()
  expect(['5.0.14', '6.0.16', '6.2.0', '7.0.15', '10.0.0'].map(isNewEnough)).toEqual([false, false, true, true, true])
})
