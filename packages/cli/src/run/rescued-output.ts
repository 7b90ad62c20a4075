const RETAINED_BYTES = 8 * 1024 * 1024

/** Passes on a stream, and keeps its latest bytes for a reader that fails. */
export class RescuedOutput implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #retained = new TailBuffer(RETAINED_BYTES)
  readonly #onProgress: (bytes: number) => void
  #pending: Promise<IteratorResult<Uint8Array>> | undefined
  #size = 0

  /** @param onProgress - Called with the number of bytes so far. */
  constructor(source: AsyncIterable<Uint8Array>, onProgress: (bytes: number) => void = () => {}) {
    this.#source = source[Symbol.asyncIterator]()
    this.#onProgress = onProgress
  }

  /** Bytes that are no longer available. */
  get lost(): number {
    return this.#retained.dropped
  }

  get size(): number {
    return this.#size
  }

  /** Stopping early leaves the stream open. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        this.#pending ??= this.#source.next()
        const result = await this.#pending
        this.#pending = undefined
        if (result.done !== true) {
          this.#retained.push(result.value)
          this.#size += result.value.byteLength
          this.#onProgress(this.#size)
        }
        return result
      },
    }
  }

  /** Yield the latest bytes again, then the rest. */
  async *rest(): AsyncGenerator<Uint8Array> {
    const retained = this.#retained.read()
    if (retained.byteLength > 0) yield retained
    for (;;) {
      const result = await (this.#pending ?? this.#source.next())
      this.#pending = undefined
      if (result.done === true) return
      this.#size += result.value.byteLength
      yield result.value
    }
  }
}

const INITIAL_BYTES = 64 * 1024

/** The last bytes of a stream, in a buffer that grows on demand. */
export class TailBuffer {
  readonly #capacity: number
  #bytes: Uint8Array
  #total = 0

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#bytes = new Uint8Array(Math.min(INITIAL_BYTES, capacity))
  }

  /** The number of bytes dropped from the beginning. */
  get dropped(): number {
    return Math.max(0, this.#total - this.#capacity)
  }

  push(chunk: Uint8Array): void {
    this.#grow(this.#total + chunk.byteLength)
    const size = this.#bytes.byteLength
    const retained = chunk.subarray(Math.max(0, chunk.byteLength - size))
    const at = (this.#total + chunk.byteLength - retained.byteLength) % size
    const first = retained.subarray(0, size - at)
    this.#bytes.set(first, at)
    this.#bytes.set(retained.subarray(first.byteLength), 0)
    this.#total += chunk.byteLength
  }

  /** Return a copy in order. */
  read(): Uint8Array {
    const size = this.#bytes.byteLength
    if (this.#total <= size) return this.#bytes.slice(0, this.#total)
    const at = this.#total % size
    const content = new Uint8Array(size)
    content.set(this.#bytes.subarray(at))
    content.set(this.#bytes.subarray(0, at), size - at)
    return content
  }

  /** Grows before the first wrap, so that the order stays. */
  #grow(needed: number): void {
    const size = this.#bytes.byteLength
    if (needed <= size || size === this.#capacity) return
    const larger = new Uint8Array(Math.min(this.#capacity, Math.max(needed, size * 2)))
    larger.set(this.#bytes.subarray(0, this.#total))
    this.#bytes = larger
  }
}
