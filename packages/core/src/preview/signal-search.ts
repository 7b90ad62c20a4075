/**
 * Words that call for a closer look at the line they stand in. One pass of this over a whole text costs a few
 * milliseconds per megabyte, so it holds only the words that most failures contain; the lines around a hit, the first and
 * the last lines get the closer look anyway.
 */
const WORDS =
  /err|fail|exception|fatal|panic|abort|denied|cannot|can't|unable|warn|not found|no such|undefined|unexpected|exit/gi

/** The red of terminals. */
const RED = /\u001b\[(?:\d{1,3};){0,4}(?:31|91)[;m]/g

/** Marks that test runners put before what failed. */
const MARKS = /[✗✘✕✖❌⨯●]/g

/** Finds the lines of one text that call for a closer look, in order. */
export class SignalSearch {
  readonly #text: string
  readonly #patterns: readonly RegExp[]
  readonly #next: number[]

  constructor(text: string, from: number) {
    this.#text = text
    // The expressions are shared and stateful: each call of `reaches` sets where they start.
    this.#patterns = text.includes('\u001b') ? [WORDS, MARKS, RED] : [WORDS, MARKS]
    this.#next = this.#patterns.map((pattern) => this.#find(pattern, from))
  }

  /** Whether there is a hit from `start` to `end`; both must not go back from one call to the next. */
  within(start: number, end: number): boolean {
    let found = false
    for (let index = 0; index < this.#next.length; index++) {
      if (this.#next[index]! < start) this.#next[index] = this.#find(this.#patterns[index]!, start)
      if (this.#next[index]! < end) found = true
    }
    return found
  }

  #find(pattern: RegExp, from: number): number {
    pattern.lastIndex = from
    const match = pattern.test(this.#text)
    return match ? pattern.lastIndex - 1 : Infinity
  }
}
