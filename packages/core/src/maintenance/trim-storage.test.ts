import { expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { trimStorage } from './trim-storage.ts'

it('trimStorage evicts the least recently used entries of all scopes, which say so', async () => {
  let time = Date.UTC(2026, 0, 1)
  const storage = tinyStorage({ now: () => time })
  const references: string[] = []
  for (const scope of ['a', 'b', 'c', 'd']) {
    time += 120_000
    references.push(await storage.scope(scope).store('call', new Uint8Array(1_000)))
  }
  time += 120_000
  await storage.scope('a').retrieve(references[0] ?? '')
  expect(await trimStorage(storage, { maxBytes: 4_000 })).toBe(0)
  expect(await trimStorage(storage, { maxBytes: 2_999 })).toBe(2)
  for (const [index, scope] of ['a', 'd'].entries())
    expect(await storage.scope(scope).retrieve(references[index * 3] ?? '')).toBeDefined()
  await expect(storage.scope('b').retrieve(references[1] ?? '')).rejects.toMatchObject({
    code: 'evicted',
    eviction: { reason: 'quota' },
  })
  time += 120_000
  await storage.scope('a').retrieve(references[0] ?? '')
  expect(await trimStorage(storage, { maxBytes: 0, keepMs: Date.now() - time + 1 })).toBe(1)
  expect(await trimStorage(storage, { maxBytes: 0 })).toBe(1)
  await expect(trimStorage(storage, { maxBytes: -1 })).rejects.toThrow('maxBytes')
})
