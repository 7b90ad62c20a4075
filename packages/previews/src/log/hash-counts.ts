/** Hashes counted at most; the slots are twice as many. */
const MOST_HASHES = 32_768
const FIRST_SLOTS = 512

/** Counts hashes, exactly: once as many different ones are known as fit, new ones are not counted. */
export class HashCounts {
  #hashes = new Int32Array(FIRST_SLOTS)
  #counts = new Uint32Array(FIRST_SLOTS)
  #size = 0

  /** Count one more of a hash. Returns how many there were by now, or 0 where they are not counted. */
  add(hash: number): number {
    const slot = this.#slot(hash)
    if (this.#counts[slot] !== 0) return ++this.#counts[slot]!
    if (this.#size >= MOST_HASHES) return 0
    this.#hashes[slot] = hash
    this.#counts[slot] = 1
    if (++this.#size * 2 > this.#hashes.length && this.#size < MOST_HASHES) this.#grow()
    return 1
  }

  /** How many there were of a hash, or 0 where they are not counted. */
  get(hash: number): number {
    return this.#counts[this.#slot(hash)]!
  }

  /** Where a hash is, or could be. */
  #slot(hash: number): number {
    const mask = this.#hashes.length - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    while (this.#counts[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const hashes = this.#hashes
    const counts = this.#counts
    this.#hashes = new Int32Array(hashes.length * 2)
    this.#counts = new Uint32Array(hashes.length * 2)
    for (const [index, hash] of hashes.entries()) {
      if (counts[index] === 0) continue
      const slot = this.#slot(hash)
      this.#hashes[slot] = hash
      this.#counts[slot] = counts[index]!
    }
  }
}
