import { describe, expect, test } from 'vitest'
import { ScopeQuota, type QuotaCandidate, type QuotaScope } from './entry-lifetime.ts'
import type { EntryInfo, EvictionOutcome } from './storage-driver.ts'
import type { EntryId } from './entry-names.ts'

const INFO: EntryInfo = { key: '', contentType: 'text/plain', size: 0, storedAt: 0, lastUsedAt: 0, metadata: {} }

/** A scope in a map that counts how often it is listed. */
class MapScope implements QuotaScope {
  readonly entries = new Map<EntryId, EntryInfo>()
  listings = 0
  evictions = 0
  #time = 0

  put(id: EntryId, size: number): void {
    this.entries.set(id, { ...INFO, size, lastUsedAt: (this.#time += 1) })
  }

  async *list(): AsyncGenerator<{ id: EntryId; info: EntryInfo }> {
    this.listings += 1
    for (const [id, info] of this.entries) yield { id, info }
  }

  async *evict(candidates: readonly QuotaCandidate[]): AsyncGenerator<readonly [QuotaCandidate, EvictionOutcome]> {
    this.evictions += 1
    for (const one of candidates) {
      const info = this.entries.get(one.id)
      if (info === undefined) yield [one, 'gone']
      else if (info.lastUsedAt > one.unusedSince) yield [one, 'used']
      else {
        this.entries.delete(one.id)
        yield [one, info.size]
      }
    }
  }

  get bytes(): number {
    return [...this.entries.values()].reduce((sum, { size }) => sum + size, 0)
  }
}

async function store(quota: ScopeQuota, scope: MapScope, id: EntryId, size: number): Promise<void> {
  quota.writing(id)
  scope.put(id, size)
  await quota.added('', id, size, scope)
  quota.written(id)
}

describe('ScopeQuota', () => {
  test('keeps a scope within its bytes, and the newest entry in it', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    for (let index = 0; index < 200; index += 1) {
      await store(quota, scope, `${index}`, 100 + ((index * 37) % 400))
      expect(scope.bytes).toBeLessThanOrEqual(1_000)
      expect(scope.entries.has(`${index}`)).toBe(true)
    }
  })

  test('lists a scope far less often than the scope is written', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    for (let index = 0; index < 1_000; index += 1) await store(quota, scope, `${index}`, 10)
    expect(scope.listings).toBeLessThan(30)
  })

  test('counts entries that were stored before', async () => {
    const scope = new MapScope()
    scope.put('old', 600)
    await store(new ScopeQuota(1_000), scope, 'new', 500)
    expect([...scope.entries.keys()]).toEqual(['new'])
  })

  test('keeps an entry that was used since the listing, and evicts the next entry', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    for (const id of ['a', 'b', 'c']) scope.put(id, 300)
    await store(quota, scope, 'd', 100)
    scope.put('a', 300)
    await store(quota, scope, 'e', 200)
    expect([...scope.entries.keys()].toSorted()).toEqual(['a', 'c', 'd', 'e'])
  })

  test('counts an entry only once if a listing already has it', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    for (const id of ['a', 'b']) {
      quota.writing(id)
      scope.put(id, 400)
    }
    for (const id of ['a', 'b']) {
      await quota.added('', id, 400, scope)
      quota.written(id)
    }
    expect([...scope.entries.keys()]).toEqual(['a', 'b'])
  })

  test('counts again after forget()', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    await store(quota, scope, 'a', 400)
    await store(quota, scope, 'b', 400)
    scope.entries.delete('b')
    quota.forget('')
    await store(quota, scope, 'c', 400)
    expect([...scope.entries.keys()]).toEqual(['a', 'c'])
  })

  test('evicts no other entries if other processes have removed some', async () => {
    const scope = new MapScope()
    for (let index = 0; index < 10; index += 1) scope.put(`old ${index}`, 100)
    const quota = new ScopeQuota(1_000)
    await store(quota, scope, 'first', 100)
    for (let index = 1; index < 7; index += 1) scope.entries.delete(`old ${index}`)
    for (let index = 0; index < 5; index += 1) await store(quota, scope, `new ${index}`, 100)
    const kept = ['first', 'old 7', 'old 8', 'old 9', ...Array.from({ length: 5 }, (_, index) => `new ${index}`)]
    expect([...scope.entries.keys()].toSorted()).toEqual(kept.toSorted())
    expect(scope.listings).toBe(2)
  })

  test('counts entries removed between the listing and the eviction', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    for (const id of ['a', 'b', 'c', 'd']) scope.put(id, 300)
    const { evict } = scope
    scope.evict = (candidates) => {
      scope.entries.delete('a')
      return evict.call(scope, candidates)
    }
    await store(quota, scope, 'e', 300)
    expect(scope.bytes).toBeLessThanOrEqual(1_000)
  })

  test('stops if nothing can be evicted', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    scope.evict = async function* (candidates) {
      for (const one of candidates) yield [one, 'used']
    }
    await store(quota, scope, 'a', 900)
    await store(quota, scope, 'b', 900)
    expect(scope.bytes).toBe(1_800)
  })

  test("evicts everything for one entry at once, in batches of the driver's size", async () => {
    for (const [batch, evictions] of [
      [1, 10],
      [4, 3],
      [500, 1],
    ] as const) {
      const scope = new MapScope()
      for (let index = 0; index < 12; index += 1) scope.put(`${index}`, 100)
      await store(new ScopeQuota(1_200, Date.now, batch), scope, 'large', 1_000)
      expect([...scope.entries.keys()]).toEqual(['10', '11', 'large'])
      expect(scope.evictions).toBe(evictions)
    }
  })

  test('refuses content larger than the quota', () => {
    const quota = new ScopeQuota(10)
    expect(() => quota.assertFits('call_1_0', 11)).toThrow(
      expect.objectContaining({ code: 'too-large', key: 'call_1_0' }),
    )
    expect(() => quota.assertFits('call_1_0', 10)).not.toThrow()
  })
})
