/**
 * Words that call for a closer look at the line they stand in. One pass of this over a whole text costs a few
 * milliseconds per megabyte, so it holds only the words that most failures contain; the lines around a hit, the first and
 * the last lines get the closer look anyway.
 */
const WORDS =
  /err|fail|exception|fatal|panic|abort|denied|cannot|can't|unable|warn|not found|no such|undefined|unexpected|exit/gi

/** Finds the lines of one text that call for a closer look, in order. */
export class SignalSearch {
  readonly #text: string
  #next = 0

  constructor(text: string, from: number) {
    this.#text = text
    this.#next = this.#find(from)
  }

  /** Whether there is a hit from `start` to `end`; both must not go back from one call to the next. */
  within(start: number, end: number): boolean {
    if (this.#next < start) this.#next = this.#find(start)
    return this.#next < end
  }

  /** The last index of the first match from an index on. */
  #find(from: number): number {
    WORDS.lastIndex = from
    return WORDS.test(this.#text) ? WORDS.lastIndex - 1 : Infinity
  }
}
