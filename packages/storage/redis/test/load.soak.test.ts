import { randomUUID } from 'node:crypto'
import { sharedRedis, sharedRedisCluster } from '@spillway-internal/services'
import { mixedLoad } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { expect, it } from 'vitest'
import { singleTarget } from './redis-harness.ts'
import { redisBackend } from './soak-backend.ts'

const [redis, cluster] = await Promise.all([sharedRedis(), sharedRedisCluster()])

it.skipIf(!redis.available)('two tenants stay isolated under load, and nothing fails', async () => {
  const target = singleTarget(redis.available ? redis.url : '')
  const report = await mixedLoad(redisBackend(target, `load-${randomUUID()}`))
  expect(report.problems).toEqual([])
})

// The same scripts run in a Cluster, each in one slot. The conformance suite shows that slots are isolated.
it.skipIf(!cluster.available)('two tenants stay isolated in a Cluster under load [full run]', async ({ skip }) => {
  skip(!isFull, 'full run')
  const target = cluster.available ? cluster : { url: '', nodes: [{ host: 'localhost', port: 1 }] }
  const report = await mixedLoad(redisBackend(target, `load-${randomUUID()}`))
  expect(report.problems).toEqual([])
})
