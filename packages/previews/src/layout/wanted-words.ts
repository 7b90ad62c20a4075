/** Shorter words stand everywhere. */
const LEAST_UNITS = 3

/** What a call looks for, and whether a text holds some of it, whatever the case. */
export class WantedWords {
  readonly #words: readonly string[]

  constructor(words: readonly string[]) {
    this.#words = words.map((word) => word.toLowerCase()).filter((word) => word.length >= LEAST_UNITS)
  }

  /** Whether nothing is looked for. */
  get isEmpty(): boolean {
    return this.#words.length === 0
  }

  isIn(text: string): boolean {
    if (this.isEmpty) return false
    const lower = text.toLowerCase()
    return this.#words.some((word) => lower.includes(word))
  }
}
