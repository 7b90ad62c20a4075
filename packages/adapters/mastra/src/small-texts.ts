const MAX_CHARACTERS = 4_000_000

/** Texts that are within the limit, over all runs: a long history is not counted anew in each of them. */
export class SmallTexts {
  readonly #texts = new Set<unknown>()
  #characters = 0

  has(value: unknown): boolean {
    return this.#texts.has(value)
  }

  /** Add what is a text, and forget all others where they are too many. */
  add(value: unknown): void {
    if (typeof value !== 'string' || this.#texts.has(value)) return
    this.#characters += value.length
    if (this.#characters > MAX_CHARACTERS) {
      this.#texts.clear()
      this.#characters = value.length
    }
    this.#texts.add(value)
  }
}
