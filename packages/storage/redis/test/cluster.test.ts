import { sharedRedisCluster, startRedisCluster } from '@spillway-internal/services'
import { StorageError } from '@spillway/core/driver'
import { Cluster, Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RedisStorage } from '../src/index.ts'
import type { RedisNodeAddress } from '../src/redis-options.ts'
import { masters, rawKeys } from './support/raw-keys.ts'
import { pattern, same } from './support/test-server.ts'

const cluster = await sharedRedisCluster()

/** Wait until the replica of each master has all data of its master. */
async function replicated(nodes: readonly RedisNodeAddress[]): Promise<void> {
  const raw = new Cluster([...nodes])
  await raw.exists('any')
  for (const master of masters(raw)) {
    const [replicas] = (await master.pipeline().ping().wait(1, 60_000).exec())?.slice(-1) ?? []
    expect(replicas).toEqual([null, 1])
  }
  raw.disconnect()
}

describe.skipIf(!cluster.available)('a Cluster', () => {
  it('distributes scopes over all nodes, and keeps each scope on one node', async () => {
    const nodes = cluster.available ? [...cluster.nodes] : []
    const prefix = `spread-${Math.random()}`
    const raw = new Cluster(nodes)
    const storage = new RedisStorage({ url: cluster.available ? cluster.url : '', prefix, chunkBytes: 4_096 })
    onTestFinished(async () => {
      await storage.close()
      raw.disconnect()
    })
    for (let index = 0; index < 30; index += 1) await storage.scope(`${index}`).store('key', pattern(10_000, index))
    await rawKeys(raw, 'any')
    const perNode = await Promise.all(masters(raw).map((node) => node.keys(`{${prefix}*:entry:*`)))
    expect(perNode.map((keys) => keys.length > 0)).toEqual([true, true, true])
    for (const node of masters(raw)) {
      const keys = await node.keys(`{${prefix}:*`)
      for (const tag of new Set(keys.map((key) => key.slice(0, key.indexOf('}')))))
        // The index, the entry, and its three chunks.
        expect(keys.filter((key) => key.startsWith(`${tag}}`)).length).toBe(5)
    }
    expect((await Array.fromAsync(storage.list())).length).toBe(30)
    for (const [index, node] of masters(raw).entries())
      await node.set((perNode[index]?.[0] ?? '').replace(/entry:(.*)$/, 'piece:$1:abc-def:0'), 'left')
    expect((await storage.gc()).leftovers).toBe(3)
    expect(await storage.clear()).toBe(30)
    expect(await rawKeys(raw, `{${prefix}:*`)).toEqual([])
  })

  it('is unavailable while a killed node has no replacement, and continues with the replica', async () => {
    const own = await startRedisCluster({ replicas: 1 })
    const options = { commandTimeoutMs: 2_000, connectTimeoutMs: 1_000, chunkBytes: 65_536 }
    const storage = new RedisStorage(own.url, options)
    try {
      const references: string[] = []
      const scopes = Array.from({ length: 12 }, (_, index) => storage.scope(`${index}`))
      for (const [index, scope] of scopes.entries()) references.push(await scope.store('key', pattern(200_000, index)))
      // A master acknowledges a write before its replica has it: a failover could lose the write.
      await replicated(own.nodes)
      await own.nodes[0]?.kill()
      const outcomes = await Promise.allSettled(scopes.map((scope, index) => scope.retrieve(references[index] ?? '')))
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          expect(StorageError.isInstance(outcome.reason) && outcome.reason.code).toBe('unavailable')
      const recovered = async (): Promise<boolean> => {
        for (const [index, scope] of scopes.entries()) {
          const found = await scope.retrieve(references[index] ?? '').catch((error: unknown) => error)
          if (StorageError.isInstance(found) && found.code === 'unavailable') return false
          expect(same((found as { content: Uint8Array }).content, pattern(200_000, index))).toBe(true)
        }
        return true
      }
      await expect.poll(recovered, { timeout: 120_000, interval: 200 }).toBe(true)
      for (const scope of scopes) await scope.store('later', pattern(100_000))
      expect((await Array.fromAsync(storage.list())).length).toBe(24)
      await storage.gc()
    } finally {
      await storage.close()
      await own.dispose()
    }
  })

  it('is unavailable while keys of one scope are on two nodes, and loses nothing', async () => {
    const own = await startRedisCluster()
    let now = Date.now()
    const storage = new RedisStorage(own.url, { chunkBytes: 4_096, now: () => now })
    const nodes = own.nodes.map(({ port }) => new Redis(port))
    try {
      const scope = storage.scope('tenant')
      const small = await scope.store('small', pattern(100))
      const large = await scope.store('large', pattern(20_000))
      const removed = await scope.store('removed', pattern(200))
      now += 20 * 60_000
      const tag = '{spillway:tenant}:'
      const held = await Promise.all(nodes.map((node) => node.keys(`${tag}*`)))
      const from = held.findIndex((keys) => keys.length > 0)
      const [source, target] = [nodes[from], nodes[(from + 1) % nodes.length]] as [Redis, Redis]
      const slot = Number(await source.call('CLUSTER', 'KEYSLOT', tag))
      const [sourceId, targetId] = (await Promise.all(
        [source, target].map((node) => node.call('CLUSTER', 'MYID')),
      )) as [string, string]
      await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId)
      await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId)
      const port = target.options.port ?? 0
      const move = async (keys: readonly string[]): Promise<unknown> =>
        source.call('MIGRATE', '127.0.0.1', port, '', 0, 5_000, 'KEYS', ...keys)
      const [pieces, rest] = [true, false].map((isPiece) =>
        (held[from] ?? []).filter((key) => key.includes(':piece:') === isPiece && !key.endsWith(':index')),
      ) as [string[], string[]]
      expect([pieces.length, rest.length]).toEqual([5, 3])
      await move([`${tag}index`, ...pieces])

      const refused = { code: 'unavailable', retryable: true, message: expect.stringContaining('is moving') as string }
      await expect(storage.gc()).rejects.toMatchObject(refused)
      await expect(scope.delete(removed)).rejects.toMatchObject(refused)
      await expect(scope.clear()).rejects.toMatchObject(refused)
      await expect(scope.store('small', pattern(100))).rejects.toMatchObject(refused)

      await move(rest)
      for (const node of [target, source]) await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId)
      await scope.delete(removed)
      await storage.gc()
      expect(same((await scope.retrieve(small)).content, pattern(100))).toBe(true)
      expect(same((await scope.retrieve(large)).content, pattern(20_000))).toBe(true)
      expect((await Array.fromAsync(scope.list())).length).toBe(2)
    } finally {
      await storage.close()
      for (const node of nodes) node.disconnect()
      await own.dispose()
    }
  })
})
