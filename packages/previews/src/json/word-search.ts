/** Longest word that is looked for, in UTF-16 units, and how many are. */
const LONGEST_WORD = 200
const MOST_WORDS = 8

/** Finds words in a text that is read in stretches, one after the other. */
export class WordSearch {
  readonly #words: readonly string[]
  #text = ''
  #origin = 0
  /** Of each word, where it comes next in the text, in units from the start; `Infinity` where it does not. */
  readonly #next: number[]
  /** Places on the seam between this stretch and the one before it. */
  #seam: number[] = []

  constructor(words: readonly string[]) {
    this.#words = words.filter(({ length }) => length > 1 && length <= LONGEST_WORD).slice(0, MOST_WORDS)
    this.#next = this.#words.map(() => Infinity)
  }

  /** Whether anything is looked for. */
  get isActive(): boolean {
    return this.#words.length > 0
  }

  /** Go on with the stretch that starts at `origin`, after `before`. */
  open(before: string, text: string, origin: number): void {
    if (this.#words.length === 0) return
    this.#text = text
    this.#origin = origin
    this.#seam = []
    for (const [index, word] of this.#words.entries()) {
      this.#next[index] = this.#find(word, origin)
      const ending = before.slice(Math.max(0, before.length - word.length + 1))
      const at = (ending + text.slice(0, word.length - 1)).indexOf(word)
      if (at >= 0) this.#seam.push(origin - ending.length + at)
    }
  }

  /** Whether a word begins between two places; where it is asked about in order, the whole search is linear. */
  within(start: number, end: number): boolean {
    let found = this.#seam.some((at) => at >= start && at < end)
    for (const [index, word] of this.#words.entries()) {
      if (this.#next[index]! < start) this.#next[index] = this.#find(word, start)
      found ||= this.#next[index]! < end
    }
    return found
  }

  #find(word: string, from: number): number {
    const at = this.#text.indexOf(word, from - this.#origin)
    return at < 0 ? Infinity : at + this.#origin
  }
}
