/** Memory for parts, used again: what is taken anew for each part stays in use until it is collected as garbage. */
export class PartMemory {
  readonly #taken = new Set<Uint8Array>()
  #free: Uint8Array[] = []

  /** Take memory of just so many bytes, whatever is in it. */
  take(bytes: number): Uint8Array {
    // Parts only grow: what is smaller is of no more use.
    this.#free = this.#free.filter(({ length }) => length === bytes)
    const memory = this.#free.pop() ?? new Uint8Array(bytes)
    this.#taken.add(memory)
    return memory
  }

  /** Give memory back that nobody reads any more; what was not taken here is left alone. */
  give(memory: Uint8Array): void {
    if (this.#taken.delete(memory)) this.#free.push(memory)
  }
}
