/** Stores one bit for each level of depth. */
export class Nesting {
  readonly #bits: number[] = []

  /** `level` may be only one deeper than the deepest level before. */
  set(level: number, bit: boolean): void {
    const slot = level >> 5
    const mask = 1 << (level & 31)
    const bits = this.#bits[slot] ?? 0
    this.#bits[slot] = bit ? bits | mask : bits & ~mask
  }

  get(level: number): boolean {
    return ((this.#bits[level >> 5]! >>> (level & 31)) & 1) === 1
  }
}
