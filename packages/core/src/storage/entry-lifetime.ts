import { BoundedMap, RecencyMap, type KeyedLock } from '@spillway/text/internal'
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

interface ExpiredReport {
  readonly expired: number
  readonly bytes: number
}

export class EntryLifetime {
  readonly #driver: CompleteDriver
  readonly #locks: KeyedLock
  readonly #ttlMs: number | null
  readonly #now: () => number
  readonly #turns: TurnTracker | undefined
  readonly #quota: ScopeQuota | undefined
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
    this.#now = () => Math.trunc(now())
    if (options.evictAfterTurns != null) this.#turns = new TurnTracker(options.evictAfterTurns)
    if (options.maxBytes != null) this.#quota = new ScopeQuota(options.maxBytes, this.#now)
  }

  get maxBytes(): number {
    return this.#quota?.maxBytes ?? Infinity
  }

  now(): number {
    return this.#now()
  }

  assertFits(key: string, size: number): void {
    this.#quota?.assertFits(key, size)
  }

  /** Call {@link written} afterwards, whether the write succeeds or fails. */
  writing(id: EntryId): void {
    this.#quota?.writing(id)
  }

  written(id: EntryId): void {
    this.#quota?.written(id)
  }

  /** Call it for a stored entry while the entry is locked. */
  used(id: EntryId): void {
    const { path, reference } = splitId(id)
    this.#turns?.used(path, reference)
  }

  removed(id: EntryId): void {
    const { path, reference } = splitId(id)
    this.#turns?.forget(path, reference)
    this.#quota?.forget(path)
  }

  expiresAt(info: EntryInfo): number | undefined {
    return this.#ttlMs === null ? undefined : info.lastUsedAt + this.#ttlMs
  }

  isExpired(info: EntryInfo): boolean {
    const expiresAt = this.expiresAt(info)
    return expiresAt !== undefined && this.#now() >= expiresAt
  }

  isStale(time: number, refreshMs: number): boolean {
    const longest = this.#ttlMs === null ? refreshMs : Math.min(refreshMs, this.#ttlMs / 4)
    return this.#now() - time >= longest
  }

  async expire(id: EntryId, info: EntryInfo): Promise<boolean> {
    if (!this.isExpired(info)) return false
    const { reference } = splitId(id)
    if (typeof (await this.#evict(id, 'age', (latest) => this.isExpired(latest))) === 'number') return true
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
    for (const reference of turns.endTurn(path)) {
      const id = entryId(path, reference)
      const size = await this.#evict(id, 'turns', () => turns.isDue(path, reference))
      if (typeof size === 'number') evicted.push({ reference, size, reason: 'turns' })
      // If another process has used the entry, its turns count from now.
      else if (turns.isDue(path, reference)) {
        if (size === 'gone') turns.forget(path, reference)
        else turns.used(path, reference)
      }
    }
    return evicted
  }

  /** `removeUnended` removes an unended entry and returns its bytes. It returns `undefined` for an ordinary entry. */
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

/** Describes a damaged entry as its listing does, so that it can still be evicted. */
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
  /** In the order of use, so that finding due entries is cheap. */
  readonly lastUse: RecencyMap<string, number>
}

/** Tracks the turn in which each entry was last used. One turn is one model call. */
export class TurnTracker {
  readonly #evictAfterTurns: number
  readonly #scopes = new Map<string, ScopeTurns>()

  constructor(evictAfterTurns: number) {
    this.#evictAfterTurns = evictAfterTurns
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

  /** Also forgets a scope without entries, so that ended sessions use no memory. */
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
/** Clocks of machines differ by less. A later time of use is from before the clock was set back. */
const MAX_AHEAD_MS = 24 * 60 * 60_000

export interface QuotaScope {
  list(): AsyncIterable<{ readonly id: EntryId; readonly info: EntryInfo }>
  evict(id: EntryId, lastUsedAt: number): Promise<'evicted' | 'used' | 'gone'>
}

interface Candidate {
  readonly id: EntryId
  readonly lastUsedAt: number
  readonly size: number
}

/** Lists a scope at its first write and after its candidates are used up. Entries of other processes are seen then. */
export class ScopeQuota {
  readonly maxBytes: number
  readonly #now: () => number
  readonly #scopes = new BoundedMap<string, { bytes: number; candidates: Candidate[] }>(MAX_SCOPES)
  /** Number of stores in progress for each entry. A listing may contain such an entry before it is counted. */
  readonly #writing = new Map<EntryId, number>()

  constructor(maxBytes: number, now: () => number = Date.now) {
    this.maxBytes = maxBytes
    this.#now = now
  }

  assertFits(key: string, size: number): void {
    if (size > this.maxBytes)
      throw new StorageError('too-large', `${size} bytes are more than maxBytes (${this.maxBytes}) allows. Raise it.`, {
        key,
      })
  }

  /** The entry is neither counted nor evicted before its own {@link added}. */
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
      const candidate = state.candidates.shift()
      if (candidate !== undefined) {
        if (candidate.id === id) continue
        const outcome = await scope.evict(candidate.id, candidate.lastUsedAt)
        // Another process removed this entry and maybe others, so list again rather than evict too much.
        if (outcome === 'gone' && !listed) state.candidates = []
        else if (outcome !== 'used') state.bytes -= candidate.size
        continue
      }
      // Just listed and still over the limit: the rest is in use, and the next store tries again.
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

  async #load(scope: QuotaScope, added: EntryId): Promise<{ bytes: number; candidates: Candidate[] }> {
    const candidates: Candidate[] = []
    let bytes = 0
    for await (const { id, info } of scope.list()) {
      if (id !== added && this.#writing.has(id)) continue
      candidates.push({ id, lastUsedAt: info.lastUsedAt, size: info.size })
      bytes += info.size
    }
    const latest = this.#now() + MAX_AHEAD_MS
    const order = ({ lastUsedAt: at }: Candidate): number => (at > latest ? at - Number.MAX_SAFE_INTEGER : at)
    candidates.sort((a, b) => order(a) - order(b))
    return { bytes, candidates }
  }
}

/** Keeps tombstones of evicted entries in memory: `maxPerScope` for each of 1,000 scopes. */
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
