/** Stores one bit for each level of depth. */
export class Nesting {
  #bits: Uint32Array = new Uint32Array(32)

  /** `level` may be only one deeper than the deepest level before. */
  set(level: number, bit: boolean): void {
    const slot = level >> 5
    if (slot >= this.#bits.length) {
      const grown = new Uint32Array(this.#bits.length * 2)
      grown.set(this.#bits)
      this.#bits = grown
    }
    if (bit) this.#bits[slot]! |= 1 << (level & 31)
    else this.#bits[slot]! &= ~(1 << (level & 31))
  }

  get(level: number): boolean {
    return ((this.#bits[level >> 5]! >>> (level & 31)) & 1) === 1
  }
}
