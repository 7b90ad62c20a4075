import { expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { withEvictAfterTurns } from './with-evict-after-turns.ts'

const hello = new TextEncoder().encode('hello')

async function evictedAfter(storage: Storage, turns: number): Promise<readonly string[]> {
  const evicted: string[] = []
  for (let turn = 0; turn < turns; turn += 1)
    for (const { reference } of (await storage.endTurn?.())?.evicted ?? []) evicted.push(reference)
  return evicted
}

it('evicts after other turns than the storage, in both directions', async () => {
  const never = tinyStorage()
  const sooner = withEvictAfterTurns(never, 2)
  const reference = await sooner.store('a', hello)
  expect(await evictedAfter(sooner, 2)).toEqual([])
  expect(await evictedAfter(sooner, 1)).toEqual([reference])
  const always = withEvictAfterTurns(tinyStorage({ evictAfterTurns: 1 }), null)
  await always.store('a', hello)
  expect(await evictedAfter(always, 30)).toEqual([])
})

it('has the content, the references and the other settings of the storage', async () => {
  const storage = tinyStorage({ maxBytes: 10 })
  const other = withEvictAfterTurns(storage, 5)
  const reference = await storage.scope('a').store('key', hello)
  expect(await other.scope?.('a').store('key', hello)).toBe(reference)
  expect((await other.scope?.('a').retrieve(reference))?.content).toEqual(hello)
  await expect(other.store('large', new Uint8Array(11))).rejects.toMatchObject({ code: 'too-large' })
})

const twoMethods: Storage = { store: async (key) => key, retrieve: () => Promise.reject(new Error('none')) }

it('refuses turns of a scope, and of a storage of others, whose null changes nothing', () => {
  for (const storage of [tinyStorage().scope('a'), twoMethods]) {
    expect(() => withEvictAfterTurns(storage, 5, 'evictAfterCycles')).toThrow(
      /^evictAfterCycles needs a storage that counts turns/,
    )
    expect(withEvictAfterTurns(storage, null)).toBe(storage)
  }
})

it.each([0, -1, 1.5, Number.NaN, '5', {}])('refuses %j turns', (turns) => {
  expect(() => withEvictAfterTurns(tinyStorage(), turns as number)).toThrow(
    /^evictAfterTurns must be a positive integer, or null for never/,
  )
})
