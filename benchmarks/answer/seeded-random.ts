import { createHash } from 'node:crypto'

/** Random numbers that a seed repeats (a linear congruential generator). */
export class SeededRandom {
  readonly #seed: number
  #state: number

  constructor(seed: number) {
    this.#seed = seed >>> 0
    this.#state = this.#seed
  }

  /** Random numbers for one content: what is drawn from it does not depend on which others there are. */
  of(id: string): SeededRandom {
    return new SeededRandom(createHash('sha256').update(`${this.#seed} ${id}`).digest().readUInt32BE())
  }

  /** A number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state * 1_664_525 + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }

  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** One of the values; throws a `RangeError` if there is none. */
  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new RangeError('There is nothing to pick from.')
    return value
  }

  /** The values in another order. */
  shuffle<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, at: this.next() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ value }) => value)
  }
}
