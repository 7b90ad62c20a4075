import { openEntryOf } from '../storage/open-entry-names.ts'
import type { ManagedStorage } from '../storage/managed-storage.ts'
import { splitId } from '../storage/reference.ts'
import type { DriverEntry } from '../storage/storage-driver.ts'
import { guard, guardIteration } from '../storage/storage-error.ts'
import { driverOf } from './stored-entries.ts'

/**
 * Evict the least recently used entries of all scopes until a storage has at most `maxBytes`. Returns their number.
 *
 * Entries used in the last `keepMs` milliseconds stay.
 *
 * @throws TypeError for a scope, for a storage not made by `createStorage`, and for an invalid limit.
 *
 * @example
 * ```ts
 * import { trimStorage } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage()
 * for (const tenant of ['a', 'b', 'c']) await storage.scope(tenant).store('call_1_0', new Uint8Array(1_000))
 * console.assert((await trimStorage(storage, { maxBytes: 2_500 })) === 1)
 * ```
 */
export async function trimStorage(
  storage: ManagedStorage,
  { maxBytes, keepMs = 0 }: { readonly maxBytes: number; readonly keepMs?: number | undefined },
): Promise<number> {
  const driver = driverOf(storage, 'storage')
  if (!(maxBytes >= 0)) throw new TypeError(`maxBytes must be a number of bytes, 0 or more, got ${maxBytes}.`)
  const entries: DriverEntry[] = []
  for await (const entry of guardIteration({ action: 'list' }, () => driver.list('')))
    // Unended entries are removed by their age.
    if (openEntryOf(entry.id) === undefined) entries.push(entry)
  let bytes = entries.reduce((sum, { info }) => sum + info.size, 0)
  let evicted = 0
  const now = Date.now()
  for (const { id, info } of entries.sort((a, b) => a.info.lastUsedAt - b.info.lastUsedAt)) {
    if (bytes <= maxBytes || info.lastUsedAt > now - keepMs) break
    const eviction = { reason: 'quota', evictedAt: now, metadata: info.metadata } as const
    const evict = async (): Promise<boolean> => driver.evict(id, info.lastUsedAt, eviction)
    if (!(await guard({ action: 'evict', reference: splitId(id).reference }, evict))) continue
    evicted += 1
    bytes -= info.size
  }
  return evicted
}
