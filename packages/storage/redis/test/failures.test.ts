import { mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { once } from 'node:events'
import { faultProxy, sharedRedisCluster, startRedis } from '@spillway-internal/services'
import { StorageError } from '@spillway/core/driver'
import { Cluster, Redis } from 'ioredis'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { RedisStorage, type RedisStorageOptions } from '../src/index.ts'
import { REMOVE } from '../src/scripts.ts'
import { pattern, same, shared, sharedUrl, testStorage } from './support/test-server.ts'

const QUICK = { commandTimeoutMs: 3_000, connectTimeoutMs: 1_500 }
const cluster = await sharedRedisCluster()

function opened(url: string, options: RedisStorageOptions = {}): RedisStorage {
  const storage = new RedisStorage(url, { ...QUICK, ...options })
  onTestFinished(() => storage.close())
  return storage
}

/** Let a store fail, and return the error, which contains neither the password nor the content. */
async function failure(storage: RedisStorage): Promise<StorageError> {
  const error: unknown = await storage.store('call_1_0', Buffer.from('sensitive content')).then(
    () => new Error('it was stored'),
    (reason: unknown) => reason,
  )
  if (!StorageError.isInstance(error)) throw error
  const shown = JSON.stringify([error.message, error.cause, String(error.cause), Object.entries(error.cause ?? {})])
  expect(shown).not.toMatch(/hunter2|sensitive/)
  expect(error).toMatchObject({ code: 'unavailable', retryable: true })
  return error
}

async function server(options: Parameters<typeof startRedis>[0] = {}): Promise<Awaited<ReturnType<typeof startRedis>>> {
  const started = await startRedis(options)
  onTestFinished(() => started.dispose())
  return started
}

describe.skipIf(!shared.available)('an error that names the fault and the fix', () => {
  test('is thrown if no server listens', async () => {
    const { message } = await failure(opened('redis://user:hunter2@127.0.0.1:1'))
    expect(message).toBe(
      'Redis at 127.0.0.1:1 cannot be reached: nothing listens there. Start Redis, or correct host and port in the url.',
    )
  })

  test('is thrown if the host is unknown', async () => {
    expect((await failure(opened('redis://no-such-host.invalid'))).message).toMatch(/the host is not known|the network/)
  })

  test('is thrown if a password is missing or wrong', async () => {
    const { port } = await server({ requirepass: 'right' })
    expect((await failure(opened(`redis://127.0.0.1:${port}`))).message).toContain('needs a password')
    for (const database of ['', '/3'])
      expect((await failure(opened(`redis://:hunter2@127.0.0.1:${port}${database}`))).message).toContain(
        'refuses the user or the',
      )
    expect((await failure(opened(`redis://bob:hunter2@127.0.0.1:${port}`))).message).toContain('redis://user:password@')
    await expect(opened(`redis://:right@127.0.0.1:${port}`).store('key', pattern(1))).resolves.toMatch(/^key_/)
  })

  test('is thrown if the database does not exist, may not be used, or has no number', async () => {
    const { port, url } = await server({ users: ['writer on >hunter2 ~* +@all -select', 'default on nopass ~* +@all'] })
    const [outside, refused] = [opened(`${url}/99`), opened(`redis://writer:hunter2@127.0.0.1:${port}/1`)]
    const absent = 'does not have that database. Change the number at the end of the url.'
    for (let attempt = 1; attempt <= 2; attempt += 1) expect((await failure(outside)).message).toContain(absent)
    expect((await failure(refused)).message).toMatch(/lacks a permission: .*select/)
    const raw = new Redis(url)
    onTestFinished(() => raw.disconnect())
    expect(await raw.keys('*')).toEqual([])
    expect(() => new RedisStorage(`${url}/app`)).toThrow('The database of Redis must be a number')
    await expect(opened(`${url}/3`).store('key', pattern(1))).resolves.toMatch(/^key_/)
  })

  test('is thrown for a server that is not Redis', async () => {
    const http = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    const address = http.address() as { port: number }
    expect((await failure(opened(`redis://127.0.0.1:${address.port}`))).message).toContain('the server is not Redis')
  })

  test('is thrown for TLS if the server has none', async () => {
    const url = sharedUrl().replace('redis:', 'rediss:')
    expect((await failure(opened(url))).message).toMatch(/does not speak TLS|the network fails/)
  })

  test('is thrown if the server is a replica', async () => {
    const replica = await server({ settings: { replicaof: '127.0.0.1 1', 'replica-serve-stale-data': 'yes' } })
    expect((await failure(opened(replica.url))).message).toContain('Use the address of the master')
  })

  test('is thrown if the server cannot save, and reading continues', async () => {
    const { url } = await server()
    const [storage, raw] = [opened(url), new Redis(url)]
    onTestFinished(() => raw.disconnect())
    const reference = await storage.store('key', pattern(1_000))
    const [, directory = ''] = (await raw.config('GET', 'dir')) as string[]
    await raw.config('SET', 'save', '3600 1')
    await rm(directory, { recursive: true })
    await raw.bgsave()
    await expect.poll(() => raw.info('persistence')).toContain('rdb_last_bgsave_status:err')
    expect((await failure(storage)).message).toContain('cannot save to its disk')
    expect(same((await storage.retrieve(reference)).content, pattern(1_000))).toBe(true)
    await mkdir(directory)
    await raw.config('SET', 'save', '')
    await expect(storage.store('call_1_0', pattern(10))).resolves.toMatch(/^call_1_0_/)
  })

  test('names the permission that the user lacks', async () => {
    const { port } = await server({ users: ['reader on >hunter2 ~* +@read +@connection +info'] })
    const { message } = await failure(opened(`redis://reader:hunter2@127.0.0.1:${port}`))
    expect(message).toContain('lacks a permission')
    expect(message).toMatch(/zadd|setnx/i)
  })

  test('is thrown if the server accepts no more clients', async () => {
    const { url } = await server({ settings: { maxclients: '1' } })
    const first = new Redis(url)
    onTestFinished(() => first.disconnect())
    await first.ping()
    expect((await failure(opened(url))).message).toMatch(/maxclients|cannot be reached|failed/)
  })

  test.skipIf(!cluster.available)(
    'is thrown if a Cluster is expected and a single server found, or the reverse',
    async () => {
      const [node] = cluster.available ? cluster.nodes : []
      const storage = opened(`redis://127.0.0.1:${node?.port}`)
      const messages: string[] = []
      for (let index = 0; index < 20; index += 1)
        await storage
          .scope(`${index}`)
          .store('key', pattern(1))
          .catch((error: Error) => messages.push(error.message))
      expect(messages[0]).toContain('redis+cluster://')
      const { hostname, port } = new URL(sharedUrl())
      expect((await failure(opened(`redis+cluster://${hostname}:${port}`))).message).toContain('Cluster mode is off')
    },
  )

  test("is thrown if one of Spillway's keys has another value", async () => {
    const { storage, raw, prefix } = testStorage()
    await raw.set(`{${prefix}:}:index`, 'foreign')
    await expect(storage.store('key', pattern(1))).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('"prefix"'),
    })
  })
})

describe.skipIf(!shared.available)('in an outage of Redis', () => {
  test('a silent server blocks no operation, and commands that timed out do not run later', async () => {
    const { hostname, port } = new URL(sharedUrl())
    const proxy = await faultProxy({ host: hostname, port: Number(port) })
    onTestFinished(() => proxy.close())
    const { storage: direct, prefix } = testStorage()
    const clients = [
      opened(`redis://127.0.0.1:${proxy.port}`, { prefix }),
      new RedisStorage(callersClient(proxy.port), { prefix, ...QUICK }),
    ]
    for (const storage of clients) {
      const reference = await storage.store('kept', pattern(10))
      proxy.stall()
      await expect(storage.retrieve(reference)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('commandTimeoutMs'),
      })
      await proxy.refuse()
      await expect(storage.delete(reference)).rejects.toMatchObject({ code: 'unavailable' })
      await proxy.restore()
      expect((await storage.retrieve(reference)).content).toEqual(pattern(10))
      expect((await direct.retrieve(reference)).content).toEqual(pattern(10))
    }
  })

  test('a late removal keeps an entry that was stored again', async () => {
    let now = Date.now()
    const { storage, raw, prefix } = testStorage({ now: () => now })
    const reference = await storage.store('key', pattern(10))
    const askedAt = now
    now += 2_000
    expect(await storage.store('key', pattern(10))).toBe(reference)
    const keys = [`{${prefix}:}:index`, `{${prefix}:}:entry:${reference}`]
    await raw.eval(REMOVE.lua, keys.length, ...keys, askedAt, reference)
    expect((await storage.retrieve(reference)).content).toEqual(pattern(10))
    // A removal that the caller still awaits removes the entry, even if its clock is behind.
    const behind = testStorage({ prefix, now: () => askedAt })
    await behind.storage.delete(reference)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    await storage.store('key', pattern(10))
    expect(await behind.storage.clear()).toBe(1)
  })

  test('an entry is listed even if it was removed between the two commands that store it again', async () => {
    const { storage, prefix } = testStorage()
    const client = new Redis(sharedUrl())
    onTestFinished(() => client.disconnect())
    const reference = await storage.store('key', pattern(10))
    const send = client.sendCommand.bind(client)
    vi.spyOn(client, 'sendCommand').mockImplementation((command, stream) => {
      if (command.name.toLowerCase() !== 'setnx') return send(command, stream)
      return storage.delete(reference).then(() => send(command, stream))
    })
    expect(await new RedisStorage(client, { prefix }).store('key', pattern(10))).toBe(reference)
    expect((await Array.fromAsync(storage.list())).length).toBe(1)
    expect(await storage.clear()).toBe(1)
  })

  test('connections that are cut during a transfer corrupt nothing', async () => {
    const { hostname, port } = new URL(sharedUrl())
    const proxy = await faultProxy({ host: hostname, port: Number(port) })
    onTestFinished(() => proxy.close())
    const { storage: direct, prefix } = testStorage()
    const storage = opened(`redis://127.0.0.1:${proxy.port}`, { prefix, chunkBytes: 65_536, commandTimeoutMs: 5_000 })
    await storage.store('first', pattern(1))
    for (const [index, size] of [10_000, 60_000, 1_000_000, 1_000_000].entries()) {
      const content = pattern(size, index)
      proxy.cutAfter(size / 2)
      const outcome = await storage.store(`cut_${index}`, content).catch((error: unknown) => error)
      if (typeof outcome !== 'string') expect(outcome).toMatchObject({ code: 'unavailable' })
      for await (const { reference, key } of direct.list())
        if (key !== 'first') expect((await direct.retrieve(reference)).content.length).toBe(size)
      await proxy.restore()
      const reference = await storage.store(`cut_${index}`, content)
      proxy.cutAfter(size / 2)
      const found = await storage.retrieve(reference).catch((error: unknown) => error)
      if (found instanceof Error) expect(found).toMatchObject({ code: 'unavailable' })
      else expect(same((found as { content: Uint8Array }).content, content)).toBe(true)
      await proxy.restore()
      expect(same((await storage.retrieve(reference)).content, content)).toBe(true)
      await direct.delete(reference)
    }
  })

  test('a closed storage rejects with an error that says so', async () => {
    const { storage } = testStorage()
    await storage.store('key', pattern(1))
    await storage.close()
    const outcome = storage.store('key', pattern(1))
    await expect(outcome).rejects.toMatchObject({ code: 'unavailable', retryable: false, message: /was closed/ })
  })

  test('a storage that is closing rejects at once, even if the server does not answer', async () => {
    const { hostname, port } = new URL(sharedUrl())
    const proxy = await faultProxy({ host: hostname, port: Number(port) })
    onTestFinished(() => proxy.close())
    const storage = opened(`redis://127.0.0.1:${proxy.port}`)
    await storage.store('key', pattern(1))
    proxy.stall()
    const closing = storage.close()
    const began = performance.now()
    await expect(storage.store('key', pattern(1))).rejects.toMatchObject({ message: /was closed/ })
    expect(performance.now() - began).toBeLessThan(QUICK.commandTimeoutMs / 2)
    await closing
  })

  test('the storage connects to the new master if its server became a replica', async () => {
    const [before, after] = [await server(), await server()]
    const target = { host: '127.0.0.1', port: before.port }
    const proxy = await faultProxy(target)
    onTestFinished(() => proxy.close())
    const storage = opened(`redis://127.0.0.1:${proxy.port}`)
    await storage.store('key', pattern(1))
    target.port = after.port
    const raw = new Redis(before.url)
    onTestFinished(() => raw.disconnect())
    await raw.replicaof('127.0.0.1', after.port)
    expect((await failure(storage)).message).toContain('is a replica')
    const stored = (): Promise<string> => storage.store('later', pattern(1)).catch((error: Error) => error.message)
    await expect.poll(stored).toMatch(/^later_/)
  })

  test('content is stored even if a slow link takes longer than the timeout of one command', async () => {
    const { hostname, port } = new URL(sharedUrl())
    const link = createTcpServer((client) => {
      const server = connect({ host: hostname, port: Number(port) })
      server.pipe(client).on('error', () => server.destroy())
      // The link transfers 4 MB in a second.
      client.on('data', (chunk: Buffer) => {
        client.pause()
        server.write(chunk)
        setTimeout(() => client.resume(), chunk.length / 4_000)
      })
      client.on('close', () => server.destroy())
    }).listen(0, '127.0.0.1')
    await once(link, 'listening')
    onTestFinished(() => void link.close())
    const { prefix } = testStorage()
    const url = `redis://127.0.0.1:${(link.address() as { port: number }).port}`
    const storage = opened(url, { prefix, commandTimeoutMs: 1_500 })
    const began = performance.now()
    await expect(storage.store('large', pattern(12_000_000))).resolves.toMatch(/^large_/)
    expect(performance.now() - began).toBeGreaterThan(1_500)
  })

  test('a server that is killed and started again is used by the same storage', async () => {
    const started = await server({ appendfsync: 'always' })
    const storage = opened(started.url)
    const reference = await storage.store('kept', pattern(100_000))
    await started.kill()
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'unavailable' })
    await started.start()
    expect(same((await storage.retrieve(reference)).content, pattern(100_000))).toBe(true)
  })
})

describe('a client of the caller', () => {
  test('is refused with a keyPrefix, or if it reads from replicas', () => {
    const lazy = { lazyConnect: true }
    const nodes = [{ host: 'localhost', port: 1 }]
    expect(() => new RedisStorage(new Redis({ ...lazy, keyPrefix: 'a:' }))).toThrow(/Set "prefix" of RedisStorage/)
    expect(() => new RedisStorage(new Cluster(nodes, { ...lazy, keyPrefix: 'a:' }))).toThrow(/keyPrefix/)
    expect(() => new RedisStorage(new Cluster(nodes, { ...lazy, scaleReads: 'slave' }))).toThrow(/scaleReads/)
    expect(() => new RedisStorage({ connection: { host: 'localhost', keyPrefix: 'a:' } })).toThrow(/keyPrefix/)
  })

  test.skipIf(!shared.available)('is not closed, and may be used by other code too', async () => {
    const client = new Redis(sharedUrl(), { enableAutoPipelining: true, stringNumbers: true, replyMapping: 'resp3' })
    onTestFinished(() => client.disconnect())
    const { prefix } = testStorage()
    const storage = new RedisStorage(client as unknown as Redis, { prefix })
    const reference = await storage.store('key', pattern(10))
    expect((await storage.stat(reference)).size).toBe(10)
    expect((await Array.fromAsync(storage.list())).length).toBe(1)
    await storage.gc()
    await storage.close()
    expect(await client.ping()).toBe('PONG')
  })

  test.skipIf(!shared.available)('is refused in subscriber mode', async () => {
    const client = new Redis(sharedUrl(), { protocol: 2 })
    onTestFinished(() => client.disconnect())
    await client.subscribe('channel')
    expect(() => new RedisStorage(client)).toThrow(/subscriber mode/)
  })
})

/** A client as callers create it, with an offline queue and its own timeouts. */
function callersClient(port: number): Redis {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 })
  client.on('error', () => undefined)
  onTestFinished(() => client.disconnect())
  return client
}
