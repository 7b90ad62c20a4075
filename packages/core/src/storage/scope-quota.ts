import { BoundedMap } from '@spillway/text/internal'
import { StorageError } from './storage-error.ts'
import type { EntryInfo } from './storage-driver.ts'
import type { EntryId } from './reference.ts'

const MAX_SCOPES = 1_000

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
  readonly #scopes = new BoundedMap<string, { bytes: number; candidates: Candidate[] }>(MAX_SCOPES)
  /** Number of stores in progress for each entry. A listing may contain such an entry before it is counted. */
  readonly #writing = new Map<EntryId, number>()

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
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
    candidates.sort((a, b) => a.lastUsedAt - b.lastUsedAt)
    return { bytes, candidates }
  }
}
