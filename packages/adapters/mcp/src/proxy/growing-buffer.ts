const FIRST_CAPACITY = 65_536

/** Bytes that are added one piece after the other. Growing frees what was there at once, and does not wait for the collector. */
export class GrowingBuffer {
  #bytes = new ArrayBuffer(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  add(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length
    if (needed > this.#bytes.byteLength)
      this.#bytes = this.#bytes.transfer(Math.max(needed, this.#bytes.byteLength * 2, FIRST_CAPACITY))
    new Uint8Array(this.#bytes).set(bytes, this.#length)
    this.#length = needed
  }

  /** Return the bytes from `start` to `end` as text. */
  text(start: number = 0, end: number = this.#length): string {
    const first = Math.min(start, this.#length)
    return Buffer.from(this.#bytes, first, Math.max(0, Math.min(end, this.#length) - first)).toString('utf8')
  }

  /** Forget all, and return its text. */
  take(): string {
    const text = this.text()
    this.clear()
    return text
  }

  clear(): void {
    if (this.#length === 0) return
    // Detached, its memory is free before the text is worked with.
    this.#bytes = this.#bytes.transfer(0)
    this.#length = 0
  }
}
