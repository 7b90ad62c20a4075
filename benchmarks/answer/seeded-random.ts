import { createHash } from 'node:crypto'

/** Random numbers from a seed (a linear congruential generator). */
export class SeededRandom {
  readonly #seed: number
  #state: number

  constructor(seed: number) {
    this.#seed = seed >>> 0
    this.#state = this.#seed
  }

  /** Random numbers for one content, which do not depend on other contents. */
  of(id: string): SeededRandom {
    return new SeededRandom(createHash('sha256').update(`${this.#seed} ${id}`).digest().readUInt32BE())
  }

  /** Return a number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state * 1_664_525 + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }

  /** Return an integer from 0 up to, but not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** Return one of the values. Throws a `RangeError` if `values` is empty. */
  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new RangeError('There is nothing to pick from.')
    return value
  }

  /** Return the values in random order. */
  shuffle<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, at: this.next() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ value }) => value)
  }
}
