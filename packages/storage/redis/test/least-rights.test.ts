import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startRedis } from '@spillway-internal/services'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { RedisStorage } from '../src/index.ts'
import { pattern, same, shared, streamOf } from './support/test-server.ts'

/** Return the ACL rules in the README. */
async function aclLine(): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
  const line = /^user (spillway on .*)$/m.exec(readme)?.[1]
  if (line === undefined) throw new Error('The README has no ACL line.')
  return line.replace('>PASSWORD', '>secret')
}

describe.skipIf(!shared.available)('a user with the ACL rules of the README', () => {
  test('can do everything with its prefix, and nothing with other keys', async () => {
    const server = await startRedis({ users: [await aclLine()] })
    const url = `redis://spillway:secret@127.0.0.1:${server.port}`
    let now = Date.now()
    const storage = new RedisStorage(url, { chunkBytes: 4_096, ttlMs: 600_000, maxBytes: 100_000, now: () => now })
    const other = new RedisStorage(url, { prefix: 'other' })
    const raw = new Redis(url)
    try {
      // A Cluster client needs these commands, too. A single server only answers that it is not a Cluster.
      for (const [name = '', ...args] of [['ASKING'], ['CLUSTER', 'SLOTS'], ['CLUSTER', 'INFO']])
        await expect(raw.call(name, ...args)).rejects.toThrow(/cluster support disabled/)
      const scope = storage.scope('tenant', 'session')
      for (const size of [0, 100, 20_000]) {
        const reference = await scope.store('key', pattern(size))
        expect(await scope.store('key', pattern(size))).toBe(reference)
        expect(same((await scope.retrieve(reference)).content, pattern(size))).toBe(true)
        expect((await scope.retrieveRange(reference, { offset: 5_000, length: 9_000 })).size).toBe(size)
        expect((await scope.stat(reference)).size).toBe(size)
      }
      const streamed = await scope.storeStream('stream', streamOf([pattern(50_000), pattern(20_000)]))
      for (let index = 0; index < 4; index += 1) await scope.store(`filler_${index}`, pattern(20_000, index))
      await expect(scope.retrieve(streamed)).rejects.toMatchObject({ code: 'evicted' })
      now += 700_000
      expect((await storage.gc()).expired).toBeGreaterThan(0)
      const deleted = await scope.store('deleted', pattern(10_000))
      await scope.delete(deleted)
      await expect(scope.retrieve(deleted)).rejects.toMatchObject({ code: 'not-found' })
      await scope.store('cleared', pattern(10))
      expect(await storage.clear()).toBe(1)
      await expect(other.store('key', pattern(1))).rejects.toMatchObject({ message: /lacks a permission: .*key/ })
    } finally {
      raw.disconnect()
      await storage.close()
      await other.close()
      await server.dispose()
    }
  })
})
