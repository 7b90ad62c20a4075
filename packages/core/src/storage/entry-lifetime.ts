import { BoundedMap, RecencyMap, yieldWhenDue, type KeyedLock } from '@spillway/text/internal'
import type { CompleteDriver, DriverEntry, EntryInfo, EvictionCandidate, EvictionOutcome } from './storage-driver.ts'
import { entryId, idPrefix, splitId, type EntryId } from './entry-names.ts'
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

/** Number of entries that a driver with `evictAll` evicts in one call. */
const MAX_BATCH = 500

/** An entry to evict, with its description if a listing contained one. */
type Due = EvictionCandidate & { readonly info?: EntryInfo }
type UndescribedEviction = Omit<Eviction, 'metadata'>

export class EntryLifetime {
  readonly #driver: CompleteDriver
  readonly #locks: KeyedLock
  readonly #ttlMs: number | null
  readonly now: () => number
  readonly #batch: number
  readonly #turns: TurnTracker | undefined
  readonly quota: ScopeQuota | undefined
  readonly #evicted: (id: EntryId) => void

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
    this.now = () => Math.trunc(now())
    // The entries of an ephemeral driver are never listed, so its scopes must not be forgotten.
    const scopes = driver.ephemeral ? Infinity : MAX_TURN_SCOPES
    if (options.evictAfterTurns != null) this.#turns = new TurnTracker(options.evictAfterTurns, scopes)
    this.#batch = driver.evictAll === undefined ? 1 : MAX_BATCH
    if (options.maxBytes != null) this.quota = new ScopeQuota(options.maxBytes, this.now, this.#batch)
  }

  /** Call this method for a stored entry while the entry is locked. */
  used(id: EntryId): void {
    const { path, reference } = splitId(id)
    this.#turns?.used(path, reference)
  }

  removed(id: EntryId): void {
    const { path, reference } = splitId(id)
    this.#turns?.forget(path, reference)
    this.quota?.forget(path)
  }

  expiresAt(info: EntryInfo): number | undefined {
    return this.#ttlMs === null ? undefined : info.lastUsedAt + this.#ttlMs
  }

  isExpired(info: EntryInfo): boolean {
    const expiresAt = this.expiresAt(info)
    return expiresAt !== undefined && this.now() >= expiresAt
  }

  isStale(time: number, refreshMs: number): boolean {
    const longest = this.#ttlMs === null ? refreshMs : Math.min(refreshMs, this.#ttlMs / 4)
    return this.now() - time >= longest
  }

  async expire(id: EntryId, info: EntryInfo): Promise<boolean> {
    if (!this.isExpired(info)) return false
    const { reference } = splitId(id)
    const due = [{ id, unusedSince: this.now() - (this.#ttlMs ?? Infinity) }]
    for await (const [, outcome] of this.#evict('age', due)) if (typeof outcome === 'number') return true
    const latest = await guard({ action: 'describe', reference }, () => this.#driver.stat(id))
    return latest === undefined || this.isExpired(latest)
  }

  async missing(id: EntryId): Promise<StorageError> {
    const { path, reference } = splitId(id)
    const eviction = await guard({ action: 'retrieve', reference }, () => this.#driver.findEviction(id))
    this.#turns?.forget(path, reference)
    return missingError(reference, eviction)
  }

  async endTurn(path: string, found: () => AsyncIterable<{ readonly reference: string }>): Promise<EvictedEntry[]> {
    const turns = this.#turns
    if (turns === undefined) return []
    if (!this.#driver.ephemeral && !turns.isListed(path)) {
      for await (const { reference } of found()) turns.found(path, reference)
      turns.listed(path)
    }
    const evicted: EvictedEntry[] = []
    const unusedSince = Infinity
    const due = turns.endTurn(path).map((reference) => ({ id: entryId(path, reference), reference, unusedSince }))
    for await (const [{ reference }, outcome] of this.#evict('turns', due, (one) => turns.isDue(path, one.reference)))
      if (typeof outcome === 'number') evicted.push({ reference, size: outcome, reason: 'turns' })
      // If another process has used the entry, the count of its unused turns starts at zero.
      else if (turns.isDue(path, reference)) {
        if (outcome === 'gone') turns.forget(path, reference)
        else turns.used(path, reference)
      }
    return evicted
  }

  /** `removeUnended` removes an entry that was not closed, and returns its size, but ignores complete entries. */
  async collectExpired(
    prefix: string,
    { signal }: OperationOptions,
    removeUnended: (id: EntryId) => Promise<number | undefined> | undefined,
  ): Promise<{ readonly expired: number; readonly bytes: number }> {
    let expired = 0
    let bytes = 0
    if (this.#ttlMs === null) return { expired, bytes }
    const unusedSince = this.now() - this.#ttlMs
    const count = (size: unknown): void => {
      if (typeof size !== 'number') return
      expired += 1
      bytes += size
    }
    const list = (): AsyncIterable<DriverEntry> => this.#driver.list(prefix, { unusedSince })
    const isDue = ({ id, info }: DriverEntry): boolean => id.startsWith(prefix) && this.isExpired(info)
    async function* due(): AsyncGenerator<Due> {
      for await (const entry of guardIteration({ action: 'collect', caller: prefix }, list)) {
        checkAborted(signal)
        const removing = isDue(entry) ? removeUnended(entry.id) : undefined
        if (removing !== undefined) count(await removing)
        else if (isDue(entry)) yield { ...entry, unusedSince }
      }
    }
    for await (const [, size] of this.#evict('age', due())) count(size)
    return { expired, bytes }
  }

  async makeRoom(added: EntryId, size: number): Promise<void> {
    const quota = this.quota
    if (quota === undefined) return
    const { path } = splitId(added)
    const scope: QuotaScope = {
      list: () => this.#exactly(path),
      evict: (candidates) => this.#evict('quota', candidates),
    }
    await this.#locks.run(`quota:${path}`, () => quota.added(path, added, size, scope))
  }

  /** Evicts entries in batches. `isDue` is called while the entries are locked. */
  async *#evict<One extends Due>(
    reason: EvictionReason,
    due: Iterable<One> | AsyncIterable<One>,
    isDue: (one: One) => boolean = () => true,
  ): AsyncGenerator<readonly [One, EvictionOutcome]> {
    const batch = new Map<EntryId, One>()
    for await (const one of due) {
      batch.set(one.id, one)
      if (batch.size < this.#batch) continue
      yield* await this.#evictBatch(reason, [...batch.values()], isDue)
      batch.clear()
      await yieldWhenDue(splitId(one.id).path)
    }
    if (batch.size > 0) yield* await this.#evictBatch(reason, [...batch.values()], isDue)
  }

  async #evictBatch<One extends Due>(
    reason: EvictionReason,
    batch: readonly One[],
    isDue: (one: One) => boolean,
  ): Promise<(readonly [One, EvictionOutcome])[]> {
    const ids = batch.map(({ id }) => id)
    const named = ids.length === 1 ? { reference: splitId(ids[0]!).reference } : {}
    return this.#locks.run(ids, () =>
      guard({ action: 'evict', ...named }, async () => {
        const eviction = { reason, evictedAt: this.now() }
        const due = batch.map((one) => (isDue(one) ? one : { ...one, unusedSince: -Infinity }))
        const outcomes = (await this.#driver.evictAll?.(due, eviction)) ?? [await this.#evictOne(due[0]!, eviction)]
        return batch.map((one, index) => {
          const outcome = outcomes[index] ?? 'used'
          if (typeof outcome === 'number') {
            const { path, reference } = splitId(one.id)
            if (reason !== 'quota') this.quota?.forget(path)
            this.#turns?.forget(path, reference)
            this.#evicted(one.id)
          }
          return [one, outcome] as const
        })
      }),
    )
  }

  async #evictOne({ id, unusedSince, info: listed }: Due, eviction: UndescribedEviction): Promise<EvictionOutcome> {
    const info = await describeDamaged(this.#driver, id, listed)
    if (info === undefined) return 'gone'
    if (info.lastUsedAt > unusedSince) return 'used'
    const { lastUsedAt, metadata, size } = info
    return (await this.#driver.evict(id, lastUsedAt, { ...eviction, metadata })) ? size : 'used'
  }

  async *#exactly(path: string): AsyncGenerator<DriverEntry> {
    const list = (): AsyncIterable<DriverEntry> => this.#driver.list(idPrefix(path), { below: false })
    for await (const entry of guardIteration({ action: 'list', caller: path }, list))
      if (splitId(entry.id).path === path) yield entry
  }
}

/** Describes an entry. A damaged entry is described as in its listing, so that it can still be evicted. */
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
  /** Last uses, sorted by time, so that finding entries to evict is cheap. */
  readonly lastUse: RecencyMap<string, number>
}

/** Scopes whose turns a process remembers, at about 1 KB each. In other scopes, turns count from the next listing. */
const MAX_TURN_SCOPES = 20_000

/** Tracks the turn in which each entry was last used. One turn is one model call. */
export class TurnTracker {
  readonly #evictAfterTurns: number
  readonly #scopes: BoundedMap<string, ScopeTurns>

  constructor(evictAfterTurns: number, maxScopes: number = Infinity) {
    this.#evictAfterTurns = evictAfterTurns
    this.#scopes = new BoundedMap(maxScopes)
  }

  used(scope: string, reference: string): void {
    const state = this.#state(scope)
    state.lastUse.set(reference, state.turn)
  }

  isListed(scope: string): boolean {
    return this.#scopes.get(scope)?.listed ?? false
  }

  listed(scope: string): void {
    const state = this.#scopes.get(scope)
    if (state !== undefined) state.listed = true
  }

  found(scope: string, reference: string): void {
    const state = this.#state(scope)
    if (!state.lastUse.has(reference)) state.lastUse.set(reference, state.turn)
  }

  endTurn(scope: string): string[] {
    const due: string[] = []
    const state = this.#scopes.get(scope)
    if (state === undefined) return due
    this.#scopes.set(scope, state)
    state.turn += 1
    for (const [reference, turn] of state.lastUse) {
      if (state.turn - turn <= this.#evictAfterTurns) break
      due.push(reference)
    }
    return due
  }

  isDue(scope: string, reference: string): boolean {
    const state = this.#scopes.get(scope)
    const turn = state?.lastUse.get(reference)
    return state !== undefined && turn !== undefined && state.turn - turn > this.#evictAfterTurns
  }

  /** A scope without entries is forgotten, so that ended sessions use no memory. */
  forget(scope: string, reference: string): void {
    const lastUse = this.#scopes.get(scope)?.lastUse
    lastUse?.delete(reference)
    if (lastUse?.size === 0) this.#scopes.delete(scope)
  }

  #state(scope: string): ScopeTurns {
    const state = this.#scopes.get(scope) ?? { turn: 0, listed: false, lastUse: new RecencyMap() }
    this.#scopes.set(scope, state)
    return state
  }
}

const MAX_SCOPES = 1_000
/** Largest expected difference between clocks of machines. A last use further in the future is treated as old. */
const MAX_AHEAD_MS = 24 * 60 * 60_000

export interface QuotaScope {
  list(): AsyncIterable<{ readonly id: EntryId; readonly info: EntryInfo }>
  evict(candidates: readonly QuotaCandidate[]): AsyncIterable<readonly [QuotaCandidate, EvictionOutcome]>
}

export interface QuotaCandidate extends EvictionCandidate {
  readonly size: number
}

/** Tracks scope sizes. Lists all entries of a scope at its first write, and if no candidate for eviction is left. */
export class ScopeQuota {
  readonly maxBytes: number
  readonly #now: () => number
  readonly #batch: number
  readonly #scopes = new BoundedMap<string, { bytes: number; candidates: QuotaCandidate[] }>(MAX_SCOPES)
  /** Number of stores in progress for each entry. Listings skip these entries, because their stores count them. */
  readonly #writing = new Map<EntryId, number>()

  constructor(maxBytes: number, now: () => number = Date.now, batch = 1) {
    this.maxBytes = maxBytes
    this.#now = now
    this.#batch = batch
  }

  assertFits(key: string, size: number): void {
    if (size > this.maxBytes)
      throw new StorageError(
        'too-large',
        `${size} bytes are more than maxBytes (${this.maxBytes}) allows. Increase maxBytes.`,
        { key },
      )
  }

  /**
   * Marks an entry as being written. The entry is not counted or evicted until {@link added} is called for it. Call
   * {@link written} after the write, even if the write fails.
   */
  writing(id: EntryId): void {
    this.#writing.set(id, (this.#writing.get(id) ?? 0) + 1)
  }

  written(id: EntryId): void {
    const others = (this.#writing.get(id) ?? 1) - 1
    if (others > 0) this.#writing.set(id, others)
    else this.#writing.delete(id)
  }

  async added(path: string, id: EntryId, size: number, scope: QuotaScope): Promise<void> {
    let state = this.#scopes.get(path)
    if (state === undefined) this.#scopes.set(path, (state = await this.#load(scope, id)))
    else state.bytes += size
    let listed = false
    while (state.bytes > this.maxBytes) {
      const due = this.#take(state.candidates, state.bytes - this.maxBytes, id)
      if (due.length > 0) {
        for await (const [{ size }, outcome] of scope.evict(due))
          // Another process removed this entry and maybe others, so list again rather than evict too much.
          if (outcome === 'gone' && !listed) state.candidates = []
          else if (outcome !== 'used') state.bytes -= size
        continue
      }
      // The new listing is still over the limit, because the other entries are in use. The next store tries again.
      if (listed) return
      listed = true
      const { bytes, candidates } = await this.#load(scope, id)
      state.bytes = bytes
      state.candidates = candidates
    }
  }

  forget(path: string): void {
    this.#scopes.delete(path)
  }

  /** Takes the least recently used candidates until they have enough bytes. */
  #take(candidates: QuotaCandidate[], bytes: number, added: EntryId): QuotaCandidate[] {
    const due: QuotaCandidate[] = []
    let taken = 0
    while (taken < bytes && due.length < this.#batch) {
      const candidate = candidates.shift()
      if (candidate === undefined) break
      if (candidate.id === added) continue
      due.push(candidate)
      taken += candidate.size
    }
    return due
  }

  async #load(scope: QuotaScope, added: EntryId): Promise<{ bytes: number; candidates: QuotaCandidate[] }> {
    const candidates: QuotaCandidate[] = []
    let bytes = 0
    for await (const { id, info } of scope.list()) {
      if (id !== added && this.#writing.has(id)) continue
      candidates.push({ id, unusedSince: info.lastUsedAt, size: info.size })
      bytes += info.size
    }
    const latest = this.#now() + MAX_AHEAD_MS
    const order = ({ unusedSince: at }: QuotaCandidate): number => (at > latest ? at - Number.MAX_SAFE_INTEGER : at)
    candidates.sort((a, b) => order(a) - order(b))
    return { bytes, candidates }
  }
}

/** Keeps tombstones of evicted entries in memory: up to `maxPerScope` for each of 1,000 scopes. */
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
