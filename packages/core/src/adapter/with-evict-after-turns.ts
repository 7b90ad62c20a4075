import { ManagedStorage, storageParts } from '../storage/managed-storage.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * Return a storage over the same backend that evicts after so many turns, for a framework that has such a setting of its
 * own. All other settings stay. Of a storage that cannot count turns, `null` returns the storage itself.
 *
 * @param evictAfterTurns - Turns without use, 1 or more, or `null` for no eviction by turns.
 * @param option - What the setting is called, as messages show it.
 * @throws TypeError for other numbers, and for turns of a storage that does not count them: one of others, or a scope.
 *
 * @example
 * ```ts
 * import { withEvictAfterTurns } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = withEvictAfterTurns(new InMemoryStorage(), 1)
 * await storage.store('call_1_0', new TextEncoder().encode('hello'))
 * await storage.endTurn?.()
 * console.assert((await storage.endTurn?.())?.evicted.length === 1)
 * ```
 */
export function withEvictAfterTurns(
  storage: Storage,
  evictAfterTurns: number | null,
  option = 'evictAfterTurns',
): Storage {
  if (evictAfterTurns !== null && !(Number.isInteger(evictAfterTurns) && evictAfterTurns >= 1))
    throw new TypeError(`${option} must be a positive integer, or null for never, got ${String(evictAfterTurns)}.`)
  const parts = storageParts(Object(storage) as object)
  if (parts !== undefined) return new ManagedStorage(parts.driver, { ...parts.options, evictAfterTurns })
  if (evictAfterTurns === null) return storage
  throw new TypeError(
    `${option} needs a storage that counts turns: one that createStorage or a Spillway backend made, and no scope of it. ` +
      'Leave it out, or pass such a storage.',
  )
}
