import { describe, expect, test } from 'vitest'
import { askRedis, RedisReplyError } from './ask-redis.ts'
import { findRedis } from './find-redis.ts'
import { startRedisCluster, type RedisCluster } from './redis-cluster.ts'
import { waitUntil } from './wait-until.ts'

const found = await findRedis()

/** Send commands to the nodes in turn, until one of them serves the keys. */
async function ask({ nodes }: RedisCluster, ...commands: string[][]): Promise<string | undefined> {
  for (const { port } of nodes)
    try {
      return await askRedis(port, ...commands)
    } catch (error) {
      const isElsewhere = error instanceof RedisReplyError && /^(?:MOVED|CLUSTERDOWN)/.test(error.message)
      if (!isElsewhere && (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error
    }
  return undefined
}

/** A replica may lose several elections of 8 seconds each if the disk or the machine is busy. */
const FAILOVER_MS = 120_000

describe.skipIf(!found.available)('a Redis Cluster', () => {
  test('assigns every slot to one of its nodes', async () => {
    const cluster = await startRedisCluster()
    try {
      expect(cluster.nodes.map(({ role }) => role)).toEqual(['master', 'master', 'master'])
      for (let key = 0; key < 20; key += 1) expect(await ask(cluster, ['SET', `key ${key}`, 'value'])).toBe('OK')
      const sizes = await Promise.all(cluster.nodes.map(({ port }) => askRedis(port, ['DBSIZE'])))
      expect(sizes.every((size) => Number(size) > 0)).toBe(true)
    } finally {
      await cluster.dispose()
    }
  })

  test('works after a master was killed, and the master returns as a replica', async () => {
    const cluster = await startRedisCluster({ replicas: 1 })
    try {
      // Only data that a replica has received survives the master.
      expect(await ask(cluster, ['SET', 'key', 'value'], ['WAIT', '1', '5000'])).toBe('1')
      const owners = await Promise.all(
        cluster.nodes.map(async (node) => ((await askRedis(node.port, ['DBSIZE'])) === '1' ? node : undefined)),
      )
      const master = owners.find((node) => node?.role === 'master')
      await master!.kill()
      const hasTakenOver = async (): Promise<boolean> => (await ask(cluster, ['GET', 'key'])) === 'value'
      await waitUntil('a replica to take over', hasTakenOver, FAILOVER_MS)
      await master!.start()
      await cluster.ready()
      expect(await askRedis(master!.port, ['INFO', 'replication'])).toContain('role:slave')
    } finally {
      await cluster.dispose()
    }
  })
})
