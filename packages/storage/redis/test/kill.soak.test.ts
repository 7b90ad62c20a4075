import { randomUUID } from 'node:crypto'
import { sharedRedis, sharedRedisCluster, startRedis } from '@spillway-internal/services'
import { killOpenEntries, killServerSoak, killSoak } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { describe, expect, it } from 'vitest'
import { singleTarget } from './redis-harness.ts'
import { redisBackend } from './soak-backend.ts'

const [redis, cluster] = await Promise.all([sharedRedis(), sharedRedisCluster()])
const SLOW = { timeout: 1_200_000 }

describe.skipIf(!redis.available)('a single server', () => {
  it('keeps the entries of randomly killed writers whole', SLOW, async () => {
    const target = singleTarget(redis.available ? redis.url : '')
    const report = await killSoak(redisBackend(target, `soak-${randomUUID()}`), { largeBytes: 3_000_000 })
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  })

  it("keeps all but the last megabyte of a killed writer's open entry [full run]", SLOW, async ({ skip }) => {
    skip(!isFull, 'full run')
    const target = singleTarget(redis.available ? redis.url : '')
    expect((await killOpenEntries(redisBackend(target, `soak-${randomUUID()}`))).problems).toEqual([])
  })

  it('loses no acknowledged entries if it is killed at random', SLOW, async () => {
    const server = await startRedis({ appendfsync: 'always' })
    try {
      const backend = redisBackend(singleTarget(server.url), 'soak')
      const report = await killServerSoak(backend, server, { largeBytes: 3_000_000 })
      expect(report.problems).toEqual([])
    } finally {
      await server.dispose()
    }
  })
})

// The same scripts run in a Cluster, each in one slot, and the conformance suite kills a writer.
describe.skipIf(!cluster.available)('a Cluster', () => {
  it('keeps the entries of randomly killed writers whole [full run]', SLOW, async ({ skip }) => {
    skip(!isFull, 'full run')
    const target = cluster.available ? cluster : { url: '', nodes: [{ host: 'localhost', port: 1 }] }
    const report = await killSoak(redisBackend(target, `soak-${randomUUID()}`), { largeBytes: 3_000_000 })
    expect(report.problems).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(report.kills)
  })
})
