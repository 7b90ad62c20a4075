/** How much of what was handed out can be got back, in bytes. */
const KEPT_BYTES = 8 * 1024 * 1024

/**
 * Hand a stream to somebody who may fail: then what was handed out last can still be had, and the rest be read.
 *
 * A storage that fails half-way keeps nothing of an entry, so what it has consumed would be gone.
 */
export class RescuedOutput implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #kept = new TailBuffer(KEPT_BYTES)
  readonly #onProgress: (bytes: number) => void
  #pending: Promise<IteratorResult<Uint8Array>> | undefined
  #size = 0

  /** @param onProgress - Called with the bytes so far. */
  constructor(source: AsyncIterable<Uint8Array>, onProgress: (bytes: number) => void = () => {}) {
    this.#source = source[Symbol.asyncIterator]()
    this.#onProgress = onProgress
  }

  /** Bytes that can no longer be had. */
  get lost(): number {
    return this.#kept.dropped
  }

  /** Bytes of the stream so far. */
  get size(): number {
    return this.#size
  }

  /** Read the stream; whoever stops reading leaves it open. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        this.#pending ??= this.#source.next()
        const result = await this.#pending
        this.#pending = undefined
        if (result.done !== true) {
          this.#kept.push(result.value)
          this.#size += result.value.byteLength
          this.#onProgress(this.#size)
        }
        return result
      },
    }
  }

  /** What was handed out last, then the rest of the stream. */
  async *rest(): AsyncGenerator<Uint8Array> {
    const kept = this.#kept.read()
    if (kept.byteLength > 0) yield kept
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
