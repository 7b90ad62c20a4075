/** Length of the shortest useful word, because shorter words occur in most lines. */
const LEAST_UNITS = 3

/** Words that the call searches for, in upper or lower case. */
export class WantedWords {
  readonly #words: readonly string[]

  constructor(words: readonly string[]) {
    this.#words = words.map((word) => word.toLowerCase()).filter((word) => word.length >= LEAST_UNITS)
  }

  get isEmpty(): boolean {
    return this.#words.length === 0
  }

  isIn(text: string): boolean {
    if (this.isEmpty) return false
    const lower = text.toLowerCase()
    return this.#words.some((word) => lower.includes(word))
  }
}

/** Largest number of texts with a word. More frequent words do not distinguish texts. */
const MOST_TEXTS = 8
/** Number of UTF-16 units to search for all words together. */
const MOST_SEARCHED = 16_000_000

export interface Sought {
  /** Number of rare words in each text. */
  readonly counts: Uint8Array
  /** Position of the word that the call names first, in each text with such a word. */
  readonly places: Int32Array
}

/** Find rare words of the call in each text, ignoring case. Returns `undefined` if no text has such a word. */
export function findSought(texts: readonly string[], words: readonly string[]): Sought | undefined {
  if (words.length === 0) return undefined
  const counts = new Uint8Array(texts.length)
  const places = new Int32Array(texts.length)
  const lower = texts.map((text) => text.toLowerCase())
  const units = lower.reduce((sum, { length }) => sum + length + 1, 0)
  const sought = new Set(words.map((word) => word.toLowerCase()))
  for (const word of [...sought].slice(0, MOST_SEARCHED / units)) {
    const found: number[] = []
    for (let index = 0; index < lower.length && found.length <= MOST_TEXTS; index++)
      if (lower[index]!.includes(word)) found.push(index)
    for (const index of found.length <= MOST_TEXTS ? found : [])
      if (counts[index]!++ === 0) places[index] = lower[index]!.indexOf(word)
  }
  return counts.some((count) => count > 0) ? { counts, places } : undefined
}
