import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sharedRedis, sharedRedisCluster } from '@spillway-internal/services'
import { formatReport, runConformance } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { describe, expect, test } from 'vitest'
import { redisHarness, singleTarget } from './redis-harness.ts'

const README = join(import.meta.dirname, '../README.md')

const options = { thorough: process.env['SPILLWAY_SOAK'] !== undefined, large: true }
const [redis, cluster] = await Promise.all([sharedRedis(), sharedRedisCluster()])

describe.skipIf(!redis.available)('a single server', () => {
  const harness = redisHarness(singleTarget(redis.available ? redis.url : 'redis://localhost:1'))
  storageConformance(harness, options)

  // `vitest run packages/storage/redis --update` brings the README up to date.
  test('the README has the report of the suite', { timeout: 600_000 }, async () => {
    const report = await runConformance(harness)
    const readme = await readFile(README, 'utf8')
    const parts = /^([^]*<!-- conformance -->\n)[^]*(\n<!-- end of conformance -->[^]*)$/.exec(readme)
    expect(parts).not.toBeNull()
    await expect(`${parts?.[1]}\n${formatReport(report)}${parts?.[2]}`).toMatchFileSnapshot(README)
  })
})

describe.skipIf(!cluster.available)('a Cluster', () => {
  const { url, nodes } = cluster.available ? cluster : { url: 'redis+cluster://localhost:1', nodes: [] }
  storageConformance(redisHarness({ name: '@spillway/redis in a Cluster', url, nodes }), options)
})
