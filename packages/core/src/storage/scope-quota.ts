import { BoundedMap } from '@spillway/text/internal'
import { StorageError } from './storage-error.ts'
import type { EntryInfo } from './storage-driver.ts'
import type { EntryId } from './reference.ts'

/** Scopes whose size is remembered; one that was forgotten is listed again. */
const MAX_SCOPES = 1_000

/** How the quota sees and empties one scope. */
export interface QuotaScope {
  list(): AsyncIterable<{ readonly id: EntryId; readonly info: EntryInfo }>
  /** Evict an entry that was last used at `lastUsedAt`, unless it was used since. */
  evict(id: EntryId, lastUsedAt: number): Promise<'evicted' | 'used' | 'gone'>
}

interface Candidate {
  readonly id: EntryId
  readonly lastUsedAt: number
  readonly size: number
}

/**
 * Keep each scope below a number of bytes by evicting what was used least recently.
 *
 * A scope is listed when it is first written to, each time its list of candidates has been used up, and after entries
 * went for other reasons, so the cost of a store does not grow with what is stored. Other processes' entries are seen
 * at the next listing.
 */
export class ScopeQuota {
  readonly maxBytes: number
  readonly #scopes = new BoundedMap<string, { bytes: number; candidates: Candidate[] }>(MAX_SCOPES)
  /** Entries whose store is under way, with how often: a listing may have them before they are counted. */
  readonly #writing = new Map<EntryId, number>()

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Refuse content that would not fit even into an empty scope. */
  assertFits(key: string, size: number): void {
    if (size > this.maxBytes)
      throw new StorageError('too-large', `${size} bytes are more than maxBytes (${this.maxBytes}) allows. Raise it.`, {
        key,
      })
  }

  /** Note that an entry is about to be written: it is not counted, nor evicted, until its own {@link added}. */
  writing(id: EntryId): void {
    this.#writing.set(id, (this.#writing.get(id) ?? 0) + 1)
  }

  /** Note that a store has ended, however it went. */
  written(id: EntryId): void {
    const others = (this.#writing.get(id) ?? 1) - 1
    if (others > 0) this.#writing.set(id, others)
    else this.#writing.delete(id)
  }

  /** Count an entry that was created, and evict others until the scope fits again. */
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
        // Others have removed it; they may have removed more, and none of that must be made up for by what is left.
        if (outcome === 'gone' && !listed) state.candidates = []
        else if (outcome !== 'used') state.bytes -= candidate.size
        continue
      }
      // Listed just now and still over: the rest is in use elsewhere, and the next store tries again.
      if (listed) return
      listed = true
      const { bytes, candidates } = await this.#load(scope, id)
      state.bytes = bytes
      state.candidates = candidates
    }
  }

  /** Count a scope anew before the next entry: some of it has gone, and not to make room. */
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
    candidates.sort((a, b) => a.lastUsedAt - b.lastUsedAt)
    return { bytes, candidates }
  }
}
