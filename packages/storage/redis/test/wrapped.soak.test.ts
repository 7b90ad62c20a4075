import { sharedRedis, sharedRedisCluster } from '@spillway-internal/services'
import { furtherWrappedOptions, testedWrappings } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { wrappedHarness } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { describe } from 'vitest'
import { redisHarness, singleTarget } from './redis-harness.ts'

const [redis, cluster] = await Promise.all([sharedRedis(), sharedRedisCluster()])
const single = redisHarness(singleTarget(redis.available ? redis.url : 'redis://localhost:1'))
const { url, nodes } = cluster.available
  ? cluster
  : { url: 'redis+cluster://localhost:1', nodes: [{ host: 'localhost', port: 1 }] }
const clustered = redisHarness({ name: '@spillway/redis in a Cluster', url, nodes })
const targets = [
  { name: 'a single server', found: redis, harness: single },
  { name: 'a Cluster', found: cluster, harness: clustered },
]
// A wrapper works in the same way in a Cluster.
const tested = isFull ? targets : targets.slice(0, 1)

for (const { name, found, harness } of tested)
  describe.skipIf(!found.available)(`in ${name}`, () => {
    for (const wrapping of testedWrappings) storageConformance(wrappedHarness(harness, wrapping), furtherWrappedOptions)
  })
