import { openEntryOf, splitId, type EntryId } from '../storage/entry-names.ts'
import { prefixOf, type ManagedStorage } from '../storage/managed-storage.ts'
import type { CompleteDriver, DriverEntry, EntryInfo } from '../storage/storage-driver.ts'
import { checkAborted, guard, guardIteration, type EvictionReason } from '../storage/storage-error.ts'
import { assertKnownOptions } from '../storage/storage-input.ts'
import type { OperationOptions } from '../storage/storage.ts'
import { assertManaged } from './stored-entries.ts'

/** Selection of entries, and limits after which they are evicted. Without a limit, the entries stay. */
export interface RetentionRule {
  /** Only entries of the scope with these segments, and of nested scopes. Defaults to all scopes. */
  readonly scope?: readonly string[] | undefined
  /** Only results of the tool with this name, which the offloader stores as metadata `tool`. */
  readonly tool?: string | undefined
  /** Milliseconds since the entry was stored. Using the entry does not extend this time. */
  readonly maxAgeMs?: number | undefined
  /** Milliseconds since the last use. */
  readonly idleMs?: number | undefined
  /** Largest number of bytes of all entries of the rule together. The least recently used are evicted first. */
  readonly maxBytes?: number | undefined
}

/** Options of {@link applyRetention}. */
export interface RetentionOptions extends OperationOptions {
  /** Rules in order. The first rule that matches an entry applies. Without a matching rule, the entry stays. */
  readonly rules: readonly RetentionRule[]
  /** Entries used within this time are not evicted, in milliseconds. Defaults to 0. */
  readonly keepMs?: number | undefined
  /** Whether to report without evicting. */
  readonly dryRun?: boolean | undefined
}

/** Number and bytes of entries. */
export interface RetentionCount {
  readonly entries: number
  readonly bytes: number
}

/** Entries that {@link applyRetention} evicted, or would evict. */
export interface RetentionReport extends RetentionCount {
  /** The counts of each rule, in the order of the rules. */
  readonly rules: readonly RetentionCount[]
}

/**
 * Evict entries of all scopes by rules: by scope, tool, age, last use, and size.
 *
 * A rule without a limit protects its entries against later rules. The storage's own `ttlMs`, `maxBytes`, and turns
 * still evict them. Retrieving an evicted entry reports its eviction. Safe while others read and write: an entry that
 * is used during the call is not evicted. If the call is aborted or fails, it can be repeated.
 *
 * @throws TypeError for a scope, for a storage not made by `createStorage`, and for an invalid rule.
 *
 * @example
 * ```ts
 * import { applyRetention } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage()
 * for (const tenant of ['a', 'b', 'c']) await storage.scope(tenant).store('call_1_0', new Uint8Array(1_000))
 * const rules = [{ scope: ['a'] }, { maxBytes: 1_500 }]
 * const { entries, bytes } = await applyRetention(storage, { rules })
 * console.assert(entries === 1 && bytes === 1_000)
 * ```
 */
export async function applyRetention(storage: ManagedStorage, options: RetentionOptions): Promise<RetentionReport> {
  const state = assertManaged(storage, 'storage')
  const { driver } = state
  assertKnownOptions(options, ['rules', 'keepMs', 'dryRun', 'signal'], 'applyRetention')
  const { rules, keepMs = 0, dryRun = false, signal } = options
  assertRules(rules)
  const prefixes = await Promise.all(rules.map(({ scope }) => prefixOf(scope)))
  const now = Date.now()
  const counts = rules.map(() => ({ entries: 0, bytes: 0 }))
  /** Entries of rules with `maxBytes`. The least recently used of these entries are evicted. */
  const competing = rules.map((): DriverEntry[] => [])
  const evict = async (rule: number, { id, info }: DriverEntry, reason: EvictionReason): Promise<boolean> => {
    checkAborted(signal)
    if (info.lastUsedAt > now - keepMs) return false
    if (!dryRun) {
      if (!(await evictUnused(driver, id, info, reason))) return false
      state.removed(id)
    }
    counts[rule]!.entries += 1
    counts[rule]!.bytes += info.size
    return true
  }
  for await (const entry of guardIteration({ action: 'list' }, () => driver.list(''))) {
    // Entries that are still being written are skipped. Only the storage's own `ttlMs` removes them.
    if (openEntryOf(entry.id) !== undefined) continue
    const index = rules.findIndex(({ tool }, at) => entry.id.startsWith(prefixes[at]!) && isOfTool(entry.info, tool))
    const rule = rules[index]
    if (rule === undefined) continue
    const { maxAgeMs = Infinity, idleMs = Infinity, maxBytes } = rule
    const isOld = now - entry.info.storedAt > maxAgeMs || now - entry.info.lastUsedAt > idleMs
    if (isOld && (await evict(index, entry, 'age'))) continue
    if (maxBytes !== undefined) competing[index]!.push(entry)
  }
  for (const [index, { maxBytes = Infinity }] of rules.entries()) {
    let bytes = competing[index]!.reduce((sum, { info }) => sum + info.size, 0)
    for (const entry of competing[index]!.sort((a, b) => a.info.lastUsedAt - b.info.lastUsedAt)) {
      if (bytes <= maxBytes) break
      if (await evict(index, entry, 'quota')) bytes -= entry.info.size
    }
  }
  const sum = (of: (count: RetentionCount) => number): number => counts.reduce((total, one) => total + of(one), 0)
  return { entries: sum(({ entries }) => entries), bytes: sum(({ bytes }) => bytes), rules: counts }
}

const isOfTool = ({ metadata }: EntryInfo, tool: string | undefined): boolean =>
  tool === undefined || metadata['tool'] === tool

async function evictUnused(
  driver: CompleteDriver,
  id: EntryId,
  { lastUsedAt, metadata }: EntryInfo,
  reason: EvictionReason,
): Promise<boolean> {
  const eviction = { reason, evictedAt: Date.now(), metadata }
  return await guard({ action: 'evict', reference: splitId(id).reference }, () =>
    driver.evict(id, lastUsedAt, eviction),
  )
}

const LIMITS = ['maxAgeMs', 'idleMs', 'maxBytes'] as const

function assertRules(rules: readonly RetentionRule[]): void {
  if (!Array.isArray(rules)) throw new TypeError('rules must be an array of retention rules.')
  for (const [index, rule] of rules.entries()) {
    assertKnownOptions(rule, ['scope', 'tool', ...LIMITS], `Retention rule ${index}`)
    for (const limit of LIMITS) {
      const value = rule[limit]
      if (value !== undefined && !(typeof value === 'number' && value >= 0))
        throw new TypeError(`${limit} of retention rule ${index} must be a number, 0 or more, got ${value}.`)
    }
  }
}
