/** A queue of indices, that of the highest rate first; of equal rates the lowest index. */
export class RateHeap {
  #indices: number[] = []
  #rates: number[] = []

  get size(): number {
    return this.#indices.length
  }

  /** The rate of the index that comes next; `-Infinity` where there is none. */
  get rate(): number {
    return this.#rates[0] ?? -Infinity
  }

  push(index: number, rate: number): void {
    let at = this.#indices.length
    this.#indices.push(index)
    this.#rates.push(rate)
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!this.#isBefore(at, above)) return
      this.#swap(at, above)
      at = above
    }
  }

  /** Take out the index that comes next; `undefined` where there is none. */
  pop(): number | undefined {
    const first = this.#indices[0]
    const index = this.#indices.pop()
    const rate = this.#rates.pop()
    if (this.#indices.length === 0 || index === undefined || rate === undefined) return first
    this.#indices[0] = index
    this.#rates[0] = rate
    for (let at = 0; ;) {
      let best = at
      for (const below of [2 * at + 1, 2 * at + 2]) if (below < this.size && this.#isBefore(below, best)) best = below
      if (best === at) return first
      this.#swap(at, best)
      at = best
    }
  }

  #isBefore(one: number, other: number): boolean {
    const difference = this.#rates[one]! - this.#rates[other]!
    return difference > 0 || (difference === 0 && this.#indices[one]! < this.#indices[other]!)
  }

  #swap(one: number, other: number): void {
    const index = this.#indices[one]!
    const rate = this.#rates[one]!
    this.#indices[one] = this.#indices[other]!
    this.#rates[one] = this.#rates[other]!
    this.#indices[other] = index
    this.#rates[other] = rate
  }
}
