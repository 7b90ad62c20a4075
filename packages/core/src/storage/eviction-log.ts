import { BoundedMap } from '@spillway/text/internal'
import type { Eviction } from './storage-error.ts'

const MAX_SCOPES = 1_000

/**
 * Remember evicted entries in memory, so that they can be told apart from those that never existed.
 *
 * Bounded: the oldest of a scope goes beyond `maxPerScope`, the oldest scope beyond 1,000 scopes.
 */
export class EvictionLog {
  readonly #maxPerScope: number
  readonly #scopes = new BoundedMap<string, BoundedMap<string, Eviction>>(MAX_SCOPES)

  constructor(maxPerScope = 1_000) {
    this.#maxPerScope = maxPerScope
  }

  add(path: string, reference: string, eviction: Eviction): void {
    const log = this.#scopes.get(path) ?? new BoundedMap<string, Eviction>(this.#maxPerScope)
    log.set(reference, eviction)
    this.#scopes.set(path, log)
  }

  find(path: string, reference: string): Eviction | undefined {
    return this.#scopes.get(path)?.get(reference)
  }

  remove(path: string, reference: string): void {
    const log = this.#scopes.get(path)
    log?.delete(reference)
    if (log?.size === 0) this.#scopes.delete(path)
  }
}
