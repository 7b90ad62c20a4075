import { findRedis, startRedis } from '@spillway-internal/services'
import { killServerSoak } from '@spillway-internal/storage-suite'
import { expect, it } from 'vitest'
import { singleTarget } from './redis-harness.ts'
import { redisBackend } from './soak-backend.ts'

const found = await findRedis()

// Proves that the soak test of a server with `appendfsync always` would find a lost store.
it.skipIf(!found.available)(
  'the kill soak finds that a server without persistence loses acknowledged entries',
  async () => {
    const server = await startRedis()
    try {
      const backend = redisBackend(singleTarget(server.url), 'soak')
      const { problems, outages } = await killServerSoak(backend, server, { kills: 1, processes: 1 })
      expect(problems.join('\n')).toContain('acknowledged, but before gc: not-found')
      expect(outages).toBeGreaterThan(0)
    } finally {
      await server.dispose()
    }
  },
)
