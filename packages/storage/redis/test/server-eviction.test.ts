import { startRedis } from '@spillway-internal/services'
import { StorageError } from '@spillway/core/driver'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Connection } from '../src/connection.ts'
import { RedisStorage } from '../src/index.ts'
import { PAGE } from '../src/scripts.ts'
import { rawKeys } from './support/raw-keys.ts'
import { pattern, same, shared, streamOf, testDriver, testStorage } from './support/test-server.ts'

const MINUTES = 11 * 60_000

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const outcome = await work.then(
    () => 'found',
    (error: unknown) => error,
  )
  if (typeof outcome === 'string') return outcome
  if (StorageError.isInstance(outcome)) return outcome.code
  throw outcome
}

describe.skipIf(!shared.available)('keys that the server evicts', () => {
  test.each([
    ['small', 5_000],
    ['large', 50_000],
  ])('leave a %s entry evicted or complete, storable again, and without leftovers', async (_, size) => {
    let now = Date.now()
    const { storage, raw, prefix } = testStorage({ chunkBytes: 8_192, now: () => now })
    const scope = storage.scope('tenant', 'session')
    const content = pattern(size)
    const store = (): Promise<string> =>
      scope.store('call_1_0', content, 'text/plain', { metadata: { tool: 'read_log' } })
    const reference = await store()
    const keysNow = async (): Promise<string[]> =>
      (await rawKeys(raw, `{${prefix}*`)).filter((key) => !key.endsWith(':evicted')).toSorted()
    const count = (await keysNow()).length
    expect(count).toBe(size === 5_000 ? 4 : 11)
    for (let index = 0; index < count; index += 1) {
      const key = (await keysNow())[index] ?? ''
      now += MINUTES
      await raw.del(key)
      const code = await codeOf(scope.retrieve(reference))
      if (/entry|piece/.test(key)) {
        expect([key, code]).toEqual([key, 'evicted'])
        expect(await codeOf(scope.stat(reference))).toBe('evicted')
        expect(await Array.fromAsync(scope.list())).toEqual([])
        // An entry that lost a chunk loses its other chunks, too. Gc removes chunks of a lost entry.
        if (key.includes(':piece:')) expect((await keysNow()).filter((each) => /entry|piece/.test(each))).toEqual([])
      } else expect([key, code]).toEqual([key, 'found'])
      now += MINUTES
      expect(await store()).toBe(reference)
      expect(same((await scope.retrieve(reference)).content, content)).toBe(true)
      await storage.gc()
      expect((await Array.fromAsync(storage.list())).map((info) => info.reference)).toEqual([reference])
      expect(await keysNow()).toHaveLength(count)
    }
    expect(await storage.clear()).toBe(1)
    expect(await rawKeys(raw, `{${prefix}:*`)).toEqual([])
  })

  test('lead to an error that names the tool to run again if the description remained', async () => {
    const { storage, raw, prefix } = testStorage({ chunkBytes: 4_096 })
    const reference = await storage.store('call_1_0', pattern(10_000), 'text/plain', { metadata: { tool: 'read_log' } })
    await raw.del(...(await rawKeys(raw, `{${prefix}*:piece:*:1`)))
    await expect(storage.retrieve(reference)).rejects.toMatchObject({
      code: 'evicted',
      eviction: { reason: 'quota', metadata: { tool: 'read_log' } },
    })
  })

  test('make reads of open content reject', async () => {
    const { storage, raw, prefix } = testStorage({ chunkBytes: 4_096 })
    const reference = await storage.store('call_1_0', pattern(3_000_000))
    const open = await storage.open(reference)
    await raw.del(...(await rawKeys(raw, `{${prefix}*:piece:*`)))
    await expect(open.read(2_000_000, 10)).rejects.toMatchObject({ code: expect.stringMatching(/not-found|evicted/) })
    await open.close()
  })

  test('are listed again by gc if only the index is lost, and can be cleared', async () => {
    const { storage, raw, prefix } = testStorage()
    const reference = await storage.scope('a', 'b').store('call_1_0', pattern(10))
    await raw.del(`{${prefix}:a/b}:index`, `{${prefix}}:scopes`)
    expect(await Array.fromAsync(storage.list())).toEqual([])
    await storage.gc()
    expect((await Array.fromAsync(storage.list())).map((info) => info.reference)).toEqual([reference])
    expect(await storage.clear()).toBe(1)
  })

  test('get different times when gc indexes them again, so that pages of a listing stay small', async () => {
    const { storage, raw, prefix } = testStorage()
    const references = await Promise.all(Array.from({ length: 50 }, (_, at) => storage.store(`call_${at}`, pattern(9))))
    await raw.del(`{${prefix}:}:index`)
    await storage.gc()
    const scores = (await raw.zrange(`{${prefix}:}:index`, '0', '-1', 'WITHSCORES')).filter((_, at) => at % 2 === 1)
    expect(new Set(scores).size).toBe(50)
    const listed = await Array.fromAsync(storage.list())
    expect(listed.map(({ reference }) => reference).toSorted()).toEqual(references.toSorted())
  })

  test('are listed and cleared in pages of limited size, even if all of them have the same time', async () => {
    const { raw, prefix } = testStorage()
    const driver = testDriver(prefix)
    const references = Array.from({ length: 9_500 }, (_, at) => `of_one_time_${at}`)
    const values = references.flatMap((reference) => [`{${prefix}:}:entry:${reference}`, 'damaged'])
    const members = references.flatMap((reference) => [1_000, reference])
    await Promise.all([raw.mset(...values), raw.zadd(`{${prefix}:}:index`, ...members)])
    const scripts = vi.spyOn(Connection.prototype, 'script')
    onTestFinished(() => scripts.mockRestore())
    const listed = (await Array.fromAsync(driver.list(''))).map(({ id }) => id)
    expect(listed.toSorted()).toEqual(references.toSorted())
    expect((await Array.fromAsync(driver.removeAll(''))).toSorted()).toEqual(references.toSorted())
    const sizes = scripts.mock.calls.flatMap(([script, , args]) => (script === PAGE ? [Number(args[2])] : []))
    expect(Math.max(...sizes)).toBe(4_000)
    expect(sizes.length).toBeLessThan(40)
  })

  test('are remembered by gc for a week', async () => {
    let now = Date.now()
    const { storage, raw, prefix } = testStorage({ now: () => now })
    const reference = await storage.store('call_1_0', pattern(10))
    await raw.del(`{${prefix}:}:entry:${reference}`)
    now += MINUTES
    await storage.gc()
    expect(await raw.zscore(`{${prefix}:}:index`, reference)).toMatch(/^-/)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'evicted' })
    now += 8 * 24 * 3_600_000
    await storage.gc()
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    expect(await rawKeys(raw, `{${prefix}*`)).toEqual([])
  })

  test('may include scripts, which are sent again', async () => {
    const { storage, raw } = testStorage()
    const reference = await storage.store('call_1_0', pattern(10))
    await raw.script('FLUSH')
    await expect(storage.store('call_1_0', pattern(10))).resolves.toBe(reference)
  })

  test('may include parts of content, which is then corrupt until it is stored again', async () => {
    const { storage, raw, prefix } = testStorage({ chunkBytes: 4_096 })
    for (const size of [100, 10_000]) {
      const reference = await storage.store('call_1_0', pattern(size))
      const pieces = await rawKeys(raw, `{${prefix}*:${size === 100 ? 'entry' : 'piece'}:${reference}*`)
      const key = pieces[0] ?? ''
      await raw.set(key, (await raw.getBuffer(key))?.subarray(0, -1) ?? '')
      await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
      await storage.store('call_1_0', pattern(size))
      expect((await storage.retrieve(reference)).content).toEqual(pattern(size))
    }
  })
})

describe.skipIf(!shared.available)('a server with a memory limit', () => {
  test.each(['allkeys-lru', 'allkeys-random', 'allkeys-lfu'])(
    'and %s reports evicted entries as evicted or not found, and keeps other entries whole',
    async (maxmemoryPolicy) => {
      const server = await startRedis({ maxmemory: '24mb', maxmemoryPolicy })
      const storage = new RedisStorage(server.url, { chunkBytes: 65_536 })
      try {
        const scope = storage.scope('tenant')
        const references = new Map<number, string>()
        for (let index = 0; index < 150; index += 1) {
          const content = pattern(index % 3 === 0 ? 700_000 : 20_000, index)
          // The server may also evict parts of an entry that is being stored.
          const stored = await scope.store(`call_${index}`, content).catch((error: unknown) => error)
          if (typeof stored === 'string') references.set(index, stored)
          else expect(stored).toMatchObject({ code: 'unavailable', message: expect.stringContaining('maxmemory') })
        }
        const outcomes = new Map<string, number>()
        for (const [index, reference] of references) {
          const expected = pattern(index % 3 === 0 ? 700_000 : 20_000, index)
          const found = scope.retrieve(reference).then(({ content }) => {
            if (!same(content, expected)) throw new Error(`${reference} has other bytes`)
          })
          const code = await codeOf(found)
          outcomes.set(code, (outcomes.get(code) ?? 0) + 1)
        }
        expect([...outcomes.keys()].filter((code) => !['found', 'evicted', 'not-found'].includes(code))).toEqual([])
        expect(outcomes.get('found') ?? 0).toBeLessThan(references.size)
        await storage.gc()
        await scope.store('later', pattern(20_000))
      } finally {
        await storage.close()
        await server.dispose()
      }
    },
  )

  test.each(['noeviction', 'volatile-lru'])(
    'and %s rejects stores as unavailable if it is full, while reading and deleting continue',
    async (maxmemoryPolicy) => {
      const server = await startRedis({ maxmemory: '8mb', maxmemoryPolicy })
      const storage = new RedisStorage(server.url, { chunkBytes: 65_536, evictAfterTurns: 1 })
      const raw = new Redis(server.url)
      try {
        const references: string[] = []
        const fill = async (): Promise<void> => {
          for (let index = 0; index < 100; index += 1)
            references.push(await storage.store(`call_${index}`, pattern(index % 2 === 0 ? 300_000 : 30_000, index)))
        }
        await expect(fill()).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('maxmemory'),
        })
        const [first = '', second = ''] = references
        expect(same((await storage.retrieve(first)).content, pattern(300_000, 0))).toBe(true)
        // A stream that fails halfway leaves no keys.
        const before = await raw.dbsize()
        const large = Array.from({ length: 200 }, () => pattern(65_536))
        await expect(storage.storeStream('stream', streamOf(large))).rejects.toMatchObject({
          code: 'unavailable',
        })
        await expect.poll(() => raw.dbsize()).toBeLessThanOrEqual(before)
        await storage.delete(first)
        await storage.delete(second)
        for (let turn = 0; turn < 2; turn += 1) await storage.endTurn()
        await expect(storage.store('later', pattern(30_000))).resolves.toMatch(/^later_/)
      } finally {
        raw.disconnect()
        await storage.close()
        await server.dispose()
      }
    },
  )
})
