import type { Eviction } from './storage-error.ts'

const MAX_SCOPES = 1_000

/**
 * Remember evicted entries in memory, so that they can be told apart from those that never existed.
 *
 * Bounded: the oldest of a scope goes beyond `maxPerScope`, the oldest scope beyond 1,000 scopes.
 */
export class EvictionLog {
  readonly #maxPerScope: number
  readonly #scopes = new Map<string, Map<string, Eviction>>()

  constructor(maxPerScope = 1_000) {
    this.#maxPerScope = maxPerScope
  }

  add(scope: string, reference: string, eviction: Eviction): void {
    const log = this.#scopes.get(scope) ?? new Map<string, Eviction>()
    this.#scopes.delete(scope)
    this.#scopes.set(scope, log)
    log.delete(reference)
    log.set(reference, eviction)
    if (log.size > this.#maxPerScope) deleteFirst(log)
    if (this.#scopes.size > MAX_SCOPES) deleteFirst(this.#scopes)
  }

  find(scope: string, reference: string): Eviction | undefined {
    return this.#scopes.get(scope)?.get(reference)
  }

  remove(scope: string, reference: string): void {
    const log = this.#scopes.get(scope)
    log?.delete(reference)
    if (log?.size === 0) this.#scopes.delete(scope)
  }
}

function deleteFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
