const INITIAL_BYTES = 64 * 1024

/** The last bytes of a stream, up to a capacity that is only taken when it is needed. */
export class TailBuffer {
  readonly #capacity: number
  #bytes: Uint8Array
  #total = 0

  /** @param capacity - Bytes that are kept at most. */
  constructor(capacity: number) {
    this.#capacity = capacity
    this.#bytes = new Uint8Array(Math.min(INITIAL_BYTES, capacity))
  }

  /** Bytes that went past the buffer's beginning and are gone. */
  get dropped(): number {
    return Math.max(0, this.#total - this.#capacity)
  }

  /** Add a copy of some bytes. */
  push(chunk: Uint8Array): void {
    this.#grow(this.#total + chunk.byteLength)
    const size = this.#bytes.byteLength
    const kept = chunk.subarray(Math.max(0, chunk.byteLength - size))
    const at = (this.#total + chunk.byteLength - kept.byteLength) % size
    const first = kept.subarray(0, size - at)
    this.#bytes.set(first, at)
    this.#bytes.set(kept.subarray(first.byteLength), 0)
    this.#total += chunk.byteLength
  }

  /** Return a copy of what is kept, in order. */
  read(): Uint8Array {
    const size = this.#bytes.byteLength
    if (this.#total <= size) return this.#bytes.slice(0, this.#total)
    const at = this.#total % size
    const content = new Uint8Array(size)
    content.set(this.#bytes.subarray(at))
    content.set(this.#bytes.subarray(0, at), size - at)
    return content
  }

  /** Make room while nothing has been overwritten yet, so that the order in the buffer is still that of the stream. */
  #grow(needed: number): void {
    const size = this.#bytes.byteLength
    if (needed <= size || size === this.#capacity) return
    const larger = new Uint8Array(Math.min(this.#capacity, Math.max(needed, size * 2)))
    larger.set(this.#bytes.subarray(0, this.#total))
    this.#bytes = larger
  }
}
