import { TailBuffer } from './tail-buffer.ts'

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
