import { RecencyMap } from './recency-map.ts'

/**
 * A map that forgets its oldest entry beyond a number of them; setting one again makes it the newest.
 *
 * @example
 * ```ts
 * import { BoundedMap } from '@spillway/core/driver'
 *
 * const seen = new BoundedMap<string, number>(2)
 * for (const key of ['a', 'b', 'a', 'c']) seen.set(key, 1)
 * console.assert(seen.get('a') === 1 && seen.get('b') === undefined && seen.size === 2)
 * ```
 */
export class BoundedMap<Key, Value> {
  readonly #maxSize: number
  readonly #entries = new RecencyMap<Key, Value>()

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value): void {
    this.#entries.set(key, value)
    if (this.#entries.size > this.#maxSize) this.#entries.delete(this.#entries.oldestKey!)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }
}
