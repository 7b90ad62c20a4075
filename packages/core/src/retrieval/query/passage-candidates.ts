/** Candidates that are kept, at most; above it the lower half goes. */
export const MAX_CANDIDATES = 65_536

/** Times that a word counts in one unit, at most: what two bits hold. */
export const MAX_TIMES = 3

/** A line that has a word of the question, or a part of a very long line. */
export interface Candidate {
  /** Which unit of the content it is, from 0. */
  readonly unit: number
  /** From 1. */
  readonly line: number
  /** Where it begins in its line. */
  readonly column: number
  /** UTF-16 units of it. */
  readonly length: number
  /** What it has in common with lines that are like it. */
  readonly shape: number
  /** The chunk in which it lies. */
  readonly chunk: number
  /** How often words follow each other as in the question. */
  readonly pairs: number
  /** How often each word occurs. */
  readonly times: Uint8Array
}

const COLUMNS = 9
/** Candidates for which there is room at first: a scope may have a thousand contents. */
const FIRST_ROOM = 64

/** Candidates in the order of the content, 36 bytes each. */
export class PassageCandidates {
  #data = new Uint32Array(FIRST_ROOM * COLUMNS)
  #count = 0
  #dropped = 0

  get count(): number {
    return this.#count
  }

  /** How many have been let go. */
  get dropped(): number {
    return this.#dropped
  }

  add({ unit, line, column, length, shape, chunk, pairs, times }: Candidate): void {
    const at = this.#count * COLUMNS
    if (at === this.#data.length) {
      const larger = new Uint32Array(this.#data.length * 2)
      larger.set(this.#data)
      this.#data = larger
    }
    this.#count++
    let low = 0
    let high = 0
    let present = 0
    for (let word = 0; word < times.length; word++) {
      const count = Math.min(MAX_TIMES, times[word]!)
      if (count > 0) present |= 1 << word
      if (word < 16) low |= count << (word * 2)
      else high |= count << ((word - 16) * 2)
    }
    const data = this.#data
    data[at] = unit
    data[at + 1] = line
    data[at + 2] = column
    data[at + 3] = Math.min(0xffff, length) | (Math.min(MAX_TIMES, pairs) << 16)
    data[at + 4] = shape
    data[at + 5] = chunk
    data[at + 6] = low
    data[at + 7] = high
    data[at + 8] = present
  }

  unit(index: number): number {
    return this.#data[index * COLUMNS]!
  }

  line(index: number): number {
    return this.#data[index * COLUMNS + 1]!
  }

  column(index: number): number {
    return this.#data[index * COLUMNS + 2]!
  }

  length(index: number): number {
    return this.#data[index * COLUMNS + 3]! & 0xffff
  }

  pairs(index: number): number {
    return this.#data[index * COLUMNS + 3]! >>> 16
  }

  shape(index: number): number {
    return this.#data[index * COLUMNS + 4]!
  }

  chunk(index: number): number {
    return this.#data[index * COLUMNS + 5]!
  }

  /** How often a word occurs, up to three times. */
  times(index: number, word: number): number {
    const at = index * COLUMNS + 6
    return word < 16 ? (this.#data[at]! >>> (word * 2)) & 3 : (this.#data[at + 1]! >>> ((word - 16) * 2)) & 3
  }

  /** Which words occur, one bit for each. */
  present(index: number): number {
    return this.#data[index * COLUMNS + 8]!
  }

  /** Whether it is a part of a long line, though not its first. */
  isPart(index: number): boolean {
    return this.column(index) > 0
  }

  /** What candidates have in common that are like each other: their shape, and the words that they have. */
  kind(index: number): number {
    return this.shape(index) * 0x1f_ffff + (Math.imul(this.present(index), 0x9e3779b1) >>> 11)
  }

  /** Let go of one that was not added. */
  drop(): void {
    this.#dropped++
  }

  /** Keep `keep` of them: let those go that score lowest, of equal ones the later. Returns the most that any of those scores. */
  keepBest(keep: number, scoreOf: (index: number) => number): number {
    if (keep >= this.#count) return -Infinity
    const scores = Float64Array.from({ length: this.#count }, (_, index) => scoreOf(index))
    const sorted = scores.toSorted()
    const least = sorted[this.#count - keep]!
    const most = sorted[this.#count - keep - 1]!
    // How many of those remain that score just the least.
    let equal = keep
    for (const score of scores) if (score > least) equal--
    let kept = 0
    for (let index = 0; index < this.#count; index++) {
      if (scores[index]! < least || (scores[index] === least && equal-- <= 0)) continue
      this.#data.copyWithin(kept * COLUMNS, index * COLUMNS, (index + 1) * COLUMNS)
      kept++
    }
    this.#dropped += this.#count - kept
    this.#count = kept
    this.#data = this.#data.slice(0, Math.max(FIRST_ROOM, kept) * COLUMNS)
    return most
  }
}
