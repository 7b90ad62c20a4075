import { BoundedMap, RecencyMap, type KeyedLock } from '@spillway/text/internal'
import { ScopeQuota } from './scope-quota.ts'
import type { DriverEntry, EntryInfo, CompleteDriver } from './storage-driver.ts'
import { entryId, idPrefix, splitId, type EntryId } from './reference.ts'
import {
  checkAborted,
  guard,
  guardIteration,
  missingError,
  StorageError,
  type Eviction,
  type EvictionReason,
} from './storage-error.ts'
import type { EvictedEntry, ManagedStorageOptions, OperationOptions } from './storage.ts'

/** What {@link EntryLifetime.collectExpired} removed. */
interface ExpiredReport {
  readonly expired: number
  readonly bytes: number
}

/** Decide how long entries stay, by turns, age and quota, evict them, and remember what was evicted. */
export class EntryLifetime {
  readonly #driver: CompleteDriver
  readonly #locks: KeyedLock
  readonly #ttlMs: number | null
  readonly #now: () => number
  readonly #turns: TurnTracker | undefined
  readonly #quota: ScopeQuota | undefined
  readonly #evicted: (id: EntryId) => void

  /** @param evicted - Called with every entry that is evicted. */
  constructor(
    driver: CompleteDriver,
    locks: KeyedLock,
    options: ManagedStorageOptions,
    evicted: (id: EntryId) => void,
  ) {
    this.#driver = driver
    this.#locks = locks
    this.#evicted = evicted
    this.#ttlMs = options.ttlMs ?? null
    const { now = Date.now } = options
    // Times are kept in whole milliseconds.
    this.#now = () => Math.trunc(now())
    if (options.evictAfterTurns != null) this.#turns = new TurnTracker(options.evictAfterTurns)
    if (options.maxBytes != null) this.#quota = new ScopeQuota(options.maxBytes)
  }

  /** Bytes that a scope may have at most. */
  get maxBytes(): number {
    return this.#quota?.maxBytes ?? Infinity
  }

  /** The time, in milliseconds since the epoch. */
  now(): number {
    return this.#now()
  }

  /** Refuse with `too-large` what would not fit even into an empty scope. */
  assertFits(key: string, size: number): void {
    this.#quota?.assertFits(key, size)
  }

  /** Note that an entry is about to be written; {@link written} must follow, however that goes. */
  writing(id: EntryId): void {
    this.#quota?.writing(id)
  }

  written(id: EntryId): void {
    this.#quota?.written(id)
  }

  /** Note that an entry was stored or retrieved. Call it for a stored one while the entry is locked. */
  used(id: EntryId): void {
    const { path, reference } = splitId(id)
    this.#turns?.used(path, reference)
  }

  /** Note that an entry was removed on purpose: it reads as never stored. */
  removed(id: EntryId): void {
    const { path, reference } = splitId(id)
    this.#turns?.forget(path, reference)
    this.#quota?.forget(path)
  }

  /** When an entry will be evicted by age; `undefined` for never. */
  expiresAt(info: EntryInfo): number | undefined {
    return this.#ttlMs === null ? undefined : info.lastUsedAt + this.#ttlMs
  }

  isExpired(info: EntryInfo): boolean {
    const expiresAt = this.expiresAt(info)
    return expiresAt !== undefined && this.#now() >= expiresAt
  }

  /** Whether a last use at `time` is old enough to be worth refreshing. */
  isStale(time: number, refreshMs: number): boolean {
    const longest = this.#ttlMs === null ? refreshMs : Math.min(refreshMs, this.#ttlMs / 4)
    return this.#now() - time >= longest
  }

  /** Remove an entry that was found past its age; return whether it is gone. */
  async expire(id: EntryId, info: EntryInfo): Promise<boolean> {
    if (!this.isExpired(info)) return false
    const { reference } = splitId(id)
    if (typeof (await this.#evict(id, 'age', (latest) => this.isExpired(latest))) === 'number') return true
    const latest = await guard({ action: 'describe', reference }, () => this.#driver.stat(id))
    return latest === undefined || this.isExpired(latest)
  }

  /** Say why an entry is not there. */
  async missing(id: EntryId): Promise<StorageError> {
    const { path, reference } = splitId(id)
    const eviction = await guard({ action: 'retrieve', reference }, () => this.#driver.findEviction(id))
    this.#turns?.forget(path, reference)
    return missingError(reference, eviction)
  }

  /** End a turn of a scope and evict what is due; `found` lists what it held before it was opened. */
  async endTurn(path: string, found: () => AsyncIterable<{ readonly reference: string }>): Promise<EvictedEntry[]> {
    const turns = this.#turns
    if (turns === undefined) return []
    if (!this.#driver.ephemeral && !turns.isListed(path)) {
      for await (const { reference } of found()) turns.found(path, reference)
      turns.listed(path)
    }
    const evicted: EvictedEntry[] = []
    for (const reference of turns.endTurn(path)) {
      const id = entryId(path, reference)
      const size = await this.#evict(id, 'turns', () => turns.isDue(path, reference))
      if (typeof size === 'number') evicted.push({ reference, size, reason: 'turns' })
      // Used by another process meanwhile, it counts from now; or it went some other way.
      else if (turns.isDue(path, reference)) {
        if (size === 'gone') turns.forget(path, reference)
        else turns.used(path, reference)
      }
    }
    return evicted
  }

  /**
   * Evict what is past its age among the entries whose ids start with `prefix`.
   *
   * @param removeUnended - Removes an entry that has not ended and returns its bytes; `undefined` for an ordinary one.
   */
  async collectExpired(
    prefix: string,
    { signal }: OperationOptions,
    removeUnended: (id: EntryId) => Promise<number | undefined> | undefined,
  ): Promise<ExpiredReport> {
    let expired = 0
    let bytes = 0
    if (this.#ttlMs === null) return { expired, bytes }
    const unusedSince = this.#now() - this.#ttlMs
    const due = (): AsyncIterable<DriverEntry> => this.#driver.list(prefix, { unusedSince })
    for await (const { id, info } of guardIteration({ action: 'collect' }, due)) {
      checkAborted(signal)
      if (!id.startsWith(prefix) || !this.isExpired(info)) continue
      const removing = removeUnended(id)
      const size = await (removing ?? this.#evict(id, 'age', (latest) => this.isExpired(latest), info))
      if (typeof size !== 'number') continue
      expired += 1
      bytes += size
    }
    return { expired, bytes }
  }

  /** Count an entry that was created, and evict others of its scope until that is below its quota. */
  async makeRoom(added: EntryId, size: number): Promise<void> {
    const quota = this.#quota
    if (quota === undefined) return
    const { path } = splitId(added)
    const scope = {
      list: () => this.#exactly(path),
      evict: async (id: EntryId, lastUsedAt: number): Promise<'evicted' | 'used' | 'gone'> => {
        const size = await this.#evict(id, 'quota', (info) => info.lastUsedAt <= lastUsedAt)
        return typeof size === 'number' ? 'evicted' : size
      },
    }
    await this.#locks.run(`quota:${path}`, () => quota.added(path, added, size, scope))
  }

  /**
   * Evict an entry that is still due once it is locked; return its size, or why it was not evicted.
   *
   * @param listed - What a listing said of it.
   */
  async #evict(
    id: EntryId,
    reason: EvictionReason,
    isDue: (info: EntryInfo) => boolean,
    listed?: EntryInfo,
  ): Promise<number | 'used' | 'gone'> {
    const { path, reference } = splitId(id)
    return this.#locks.run(id, () =>
      guard({ action: 'evict', reference }, async () => {
        const info = await describeDamaged(this.#driver, id, listed)
        if (info === undefined) return 'gone'
        if (!isDue(info)) return 'used'
        const eviction: Eviction = { reason, evictedAt: this.#now(), metadata: info.metadata }
        if (!(await this.#driver.evict(id, info.lastUsedAt, eviction))) return 'used'
        if (reason !== 'quota') this.#quota?.forget(path)
        this.#turns?.forget(path, reference)
        this.#evicted(id)
        return info.size
      }),
    )
  }

  async *#exactly(path: string): AsyncGenerator<DriverEntry> {
    for await (const entry of guardIteration({ action: 'list' }, () => this.#driver.list(idPrefix(path))))
      if (splitId(entry.id).path === path) yield entry
  }
}

/** Describe an entry, a damaged one as its listing does: damage must not keep it from being evicted. */
export async function describeDamaged(
  driver: CompleteDriver,
  id: EntryId,
  listed?: EntryInfo,
): Promise<EntryInfo | undefined> {
  try {
    return await driver.stat(id)
  } catch (error) {
    if (!StorageError.isInstance(error) || error.code !== 'corrupt') throw error
    if (listed !== undefined) return listed
    for await (const entry of driver.list(idPrefix(splitId(id).path))) if (entry.id === id) return entry.info
    return undefined
  }
}

interface ScopeTurns {
  turn: number
  listed: boolean
  /** In the order of use, so that finding what is due costs what is due. */
  readonly lastUse: RecencyMap<string, number>
}

/**
 * Remember when each entry was last used, counted in turns of its scope, and say which have gone unused too long.
 *
 * One turn is one model call. An entry neither stored nor retrieved for more than `evictAfterTurns` turns is due.
 */
export class TurnTracker {
  readonly #evictAfterTurns: number
  readonly #scopes = new Map<string, ScopeTurns>()

  constructor(evictAfterTurns: number) {
    this.#evictAfterTurns = evictAfterTurns
  }

  /** Note that an entry was stored or retrieved in the present turn. */
  used(scope: string, reference: string): void {
    const state = this.#state(scope)
    state.lastUse.set(reference, state.turn)
  }

  /** Tell whether the entries that a scope had from the start are known. */
  isListed(scope: string): boolean {
    return this.#scopes.get(scope)?.listed ?? false
  }

  /** Note that all entries of a scope have been {@link found}; an empty one is looked at again. */
  listed(scope: string): void {
    const state = this.#scopes.get(scope)
    if (state !== undefined) state.listed = true
  }

  /** Note an entry that was found in the storage; one that is known keeps its last use. */
  found(scope: string, reference: string): void {
    const state = this.#state(scope)
    if (!state.lastUse.has(reference)) state.lastUse.set(reference, state.turn)
  }

  /** End a turn of a scope and return the references that are due, least recently used first. */
  endTurn(scope: string): string[] {
    const due: string[] = []
    const state = this.#scopes.get(scope)
    if (state === undefined) return due
    state.turn += 1
    for (const [reference, turn] of state.lastUse) {
      if (state.turn - turn <= this.#evictAfterTurns) break
      due.push(reference)
    }
    return due
  }

  /** Tell whether an entry is due now. */
  isDue(scope: string, reference: string): boolean {
    const state = this.#scopes.get(scope)
    const turn = state?.lastUse.get(reference)
    return state !== undefined && turn !== undefined && state.turn - turn > this.#evictAfterTurns
  }

  /** Forget an entry that is gone, and with the last one its scope, so that sessions which have ended cost nothing. */
  forget(scope: string, reference: string): void {
    const lastUse = this.#scopes.get(scope)?.lastUse
    lastUse?.delete(reference)
    if (lastUse?.size === 0) this.#scopes.delete(scope)
  }

  #state(scope: string): ScopeTurns {
    let state = this.#scopes.get(scope)
    if (state === undefined) this.#scopes.set(scope, (state = { turn: 0, listed: false, lastUse: new RecencyMap() }))
    return state
  }
}

const MAX_SCOPES = 1_000

/**
 * Keeps tombstones of evicted entries in memory.
 *
 * Bounded: the oldest of a scope goes beyond `maxPerScope`, the oldest scope beyond 1,000 scopes.
 */
export class EvictionLog {
  readonly #maxPerScope: number
  readonly #scopes = new BoundedMap<string, BoundedMap<string, Eviction>>(MAX_SCOPES)

  constructor(maxPerScope = 1_000) {
    this.#maxPerScope = maxPerScope
  }

  add(id: EntryId, eviction: Eviction): void {
    const { path, reference } = splitId(id)
    const log = this.#scopes.get(path) ?? new BoundedMap<string, Eviction>(this.#maxPerScope)
    log.set(reference, eviction)
    this.#scopes.set(path, log)
  }

  find(id: EntryId): Eviction | undefined {
    const { path, reference } = splitId(id)
    return this.#scopes.get(path)?.get(reference)
  }

  remove(id: EntryId): void {
    const { path, reference } = splitId(id)
    const log = this.#scopes.get(path)
    log?.delete(reference)
    if (log?.size === 0) this.#scopes.delete(path)
  }
}
