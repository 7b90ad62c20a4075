import { fieldsOf } from './message.ts'

/** Collects the items of pages by a key, each once. */
export class UniqueItems {
  readonly #key: string
  readonly #items = new Map<unknown, unknown>()

  /** @param key - The field that tells items apart; an item without it is told apart from all others. */
  constructor(key: string) {
    this.#key = key
  }

  /** Add the items of a page; returns `false` if the page repeats only what is known, so that no further page helps. */
  add(items: readonly unknown[]): boolean {
    const before = this.#items.size
    for (const item of items) {
      const key = fieldsOf(item)[this.#key] ?? item
      if (!this.#items.has(key)) this.#items.set(key, item)
    }
    return items.length === 0 || this.#items.size > before
  }

  get keys(): ReadonlySet<unknown> {
    return new Set(this.#items.keys())
  }

  get values(): readonly unknown[] {
    return [...this.#items.values()]
  }
}
