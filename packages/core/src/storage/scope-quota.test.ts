import { describe, expect, test } from 'vitest'
import { ScopeQuota, type QuotaScope } from './scope-quota.ts'
import type { EntryId, EntryInfo } from './storage-driver.ts'

const INFO: EntryInfo = { key: '', contentType: 'text/plain', size: 0, storedAt: 0, lastUsedAt: 0, metadata: {} }

/** A scope in a map that counts how often it is listed. */
class MapScope implements QuotaScope {
  readonly entries = new Map<EntryId, EntryInfo>()
  listings = 0
  #time = 0

  put(id: EntryId, size: number): void {
    this.entries.set(id, { ...INFO, size, lastUsedAt: (this.#time += 1) })
  }

  async *list(): AsyncGenerator<{ id: EntryId; info: EntryInfo }> {
    this.listings += 1
    for (const [id, info] of this.entries) yield { id, info }
  }

  async evict(id: EntryId, lastUsedAt: number): Promise<boolean> {
    const info = this.entries.get(id)
    return info !== undefined && info.lastUsedAt <= lastUsedAt && this.entries.delete(id)
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

  test('lists a scope far less often than it is written to', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    for (let index = 0; index < 1_000; index += 1) await store(quota, scope, `${index}`, 10)
    expect(scope.listings).toBeLessThan(30)
  })

  test('counts the entries that were there from the start', async () => {
    const scope = new MapScope()
    scope.put('old', 600)
    await store(new ScopeQuota(1_000), scope, 'new', 500)
    expect([...scope.entries.keys()]).toEqual(['new'])
  })

  test('leaves what was used since it was listed, and takes the next', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    for (const id of ['a', 'b', 'c']) scope.put(id, 300)
    await store(quota, scope, 'd', 100)
    scope.put('a', 300)
    await store(quota, scope, 'e', 200)
    expect([...scope.entries.keys()].toSorted()).toEqual(['a', 'c', 'd', 'e'])
  })

  test('counts an entry that a listing had before its own turn only once', async () => {
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

  test('counts anew once it was told to forget', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    await store(quota, scope, 'a', 400)
    await store(quota, scope, 'b', 400)
    scope.entries.delete('b')
    quota.forget('')
    await store(quota, scope, 'c', 400)
    expect([...scope.entries.keys()]).toEqual(['a', 'c'])
  })

  test('gives up where nothing can be evicted', async () => {
    const scope = new MapScope()
    const quota = new ScopeQuota(1_000)
    scope.evict = async () => false
    await store(quota, scope, 'a', 900)
    await store(quota, scope, 'b', 900)
    expect(scope.bytes).toBe(1_800)
  })

  test('refuses what would not fit alone', () => {
    const quota = new ScopeQuota(10)
    expect(() => quota.assertFits('call_1_0', 11)).toThrow(
      expect.objectContaining({ code: 'too-large', key: 'call_1_0' }),
    )
    expect(() => quota.assertFits('call_1_0', 10)).not.toThrow()
  })
})
