import { sharedRedis, sharedRedisCluster } from '@spillway-internal/services'
import { isSoak, testedWrappings } from '@spillway-internal/storage-testing'
import { wrappedHarness } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { describe } from 'vitest'
import { redisHarness, singleTarget } from './redis-harness.ts'

const options = { thorough: isSoak, large: isSoak }
const [redis, cluster] = await Promise.all([sharedRedis(), sharedRedisCluster()])
const single = redisHarness(singleTarget(redis.available ? redis.url : 'redis://localhost:1'))
const { url, nodes } = cluster.available ? cluster : { url: 'redis+cluster://localhost:1', nodes: [] }
const clustered = redisHarness({ name: '@spillway/redis in a Cluster', url, nodes })

describe.skipIf(!redis.available)('a single server', () => {
  for (const wrapping of testedWrappings) storageConformance(wrappedHarness(single, wrapping), options)
})

describe.skipIf(!cluster.available || !isSoak)('a Cluster', () => {
  for (const wrapping of testedWrappings) storageConformance(wrappedHarness(clustered, wrapping), options)
})
