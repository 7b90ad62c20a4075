import { randomUUID } from 'node:crypto'
import { sharedRedis, sharedRedisCluster } from '@spillway-internal/services'
import { mixedLoad } from '@spillway-internal/storage-testing'
import { expect, test } from 'vitest'
import { singleTarget } from './redis-harness.ts'
import { redisBackend } from './soak-backend.ts'

const [redis, cluster] = await Promise.all([sharedRedis(), sharedRedisCluster()])
const SLOW = { timeout: 600_000 }

test.skipIf(!redis.available)('two tenants never meet under load, and nothing fails', SLOW, async () => {
  const target = singleTarget(redis.available ? redis.url : '')
  const report = await mixedLoad(redisBackend(target, `load-${randomUUID()}`))
  console.log(report)
  expect(report.problems).toEqual([])
})

test.skipIf(!cluster.available)('nor do they in a Cluster', SLOW, async () => {
  const target = cluster.available ? cluster : { url: '', nodes: [] }
  const report = await mixedLoad(redisBackend(target, `load-${randomUUID()}`))
  console.log(report)
  expect(report.problems).toEqual([])
})
