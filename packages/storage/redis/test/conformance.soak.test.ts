import { join } from 'node:path'
import { sharedRedis, sharedRedisCluster } from '@spillway-internal/services'
import { testConformance, wrapperCanBreak } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { describe } from 'vitest'
import { redisHarness, singleTarget } from './redis-harness.ts'

const options = { thorough: isFull, large: true }
const [redis, cluster] = await Promise.all([sharedRedis(), sharedRedisCluster()])

describe.skipIf(!redis.available)('a single server', () => {
  const harness = redisHarness(singleTarget(redis.available ? redis.url : 'redis://localhost:1'))
  testConformance(harness, join(import.meta.dirname, '..'))
})

describe.skipIf(!cluster.available)('a Cluster', () => {
  const { url, nodes } = cluster.available
    ? cluster
    : { url: 'redis+cluster://localhost:1', nodes: [{ host: 'localhost', port: 1 }] }
  // As with a wrapper, only calls of the driver and pages of several nodes can differ, but not chunks of large content.
  // All commands wait for failed nodes in the same way, so two cases of outages are enough.
  const same =
    /^outage\/(?!rejects$|in-the-middle-of-list$)|\/(?:at-boundaries|late-differences|96-bits)$|^open-entry\/outage$/
  const filter = (id: string): boolean =>
    isFull || (wrapperCanBreak(id) && !same.test(id)) || id.endsWith('/beyond-one-page')
  storageConformance(redisHarness({ name: '@spillway/redis in a Cluster', url, nodes }), {
    ...options,
    large: isFull,
    filter,
  })
})
