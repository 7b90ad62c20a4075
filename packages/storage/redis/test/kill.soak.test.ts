import { randomUUID } from 'node:crypto'
import { sharedRedis, sharedRedisCluster, startRedis } from '@spillway-internal/services'
import { killServerSoak, killSoak } from '@spillway-internal/storage-testing'
import { expect, test } from 'vitest'
import { singleTarget } from './redis-harness.ts'
import { redisBackend } from './soak-backend.ts'

const [redis, cluster] = await Promise.all([sharedRedis(), sharedRedisCluster()])
const SLOW = { timeout: 1_200_000 }

test.skipIf(!redis.available)(
  'writers killed at random lose and tear nothing that was acknowledged',
  SLOW,
  async () => {
    const target = singleTarget(redis.available ? redis.url : '')
    const report = await killSoak(redisBackend(target, `soak-${randomUUID()}`), { largeBytes: 3_000_000 })
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  },
)

test.skipIf(!cluster.available)('nor do those of a Cluster', SLOW, async () => {
  const target = cluster.available ? cluster : { url: '', nodes: [] }
  const report = await killSoak(redisBackend(target, `soak-${randomUUID()}`), { largeBytes: 3_000_000 })
  expect(report.problems).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(report.kills)
})

test.skipIf(!redis.available)('a server killed at random loses nothing that was acknowledged', SLOW, async () => {
  const server = await startRedis({ appendfsync: 'always' })
  try {
    const backend = redisBackend(singleTarget(server.url), 'soak')
    const report = await killServerSoak(backend, server, { largeBytes: 3_000_000 })
    expect(report.problems).toEqual([])
  } finally {
    await server.dispose()
  }
})
