/**
 * Number of bytes to retain in case the reader fails, larger than the number of bytes that can wait for the
 * store.
 */
const RETAINED_BYTES = 10 * 1024 * 1024
const PIECE_BYTES = 4_096

/** Passes on a stream, and keeps its latest bytes in case its reader fails. */
export class RescuedOutput implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #retained: Uint8Array[] = []
  #retainedBytes = 0
  /** Bytes that are no longer available. */
  lost = 0
  #pending: Promise<IteratorResult<Uint8Array>> | undefined

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Iterate over the chunks. If the reader stops early, the stream stays open. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        this.#pending ??= this.#source.next()
        const result = await this.#pending
        this.#pending = undefined
        if (result.done !== true) this.#retain(result.value)
        return result
      },
    }
  }

  /** Yield the retained bytes again, unless they were already shown, and then the rest of the stream. */
  async *rest(isShown = false): AsyncGenerator<Uint8Array> {
    // Take the chunk before waiting, so that no chunk is returned twice.
    const retained = this.#retained.splice(0)
    if (!isShown && retained.length > 0) yield* retained
    for (;;) {
      const result = await (this.#pending ?? this.#source.next())
      this.#pending = undefined
      if (result.done === true) return
      yield result.value
    }
  }

  #retain(chunk: Uint8Array): void {
    const last = this.#retained.at(-1)
    // Short chunks are joined, because a command may write byte by byte.
    const isJoined = last !== undefined && last.byteLength + chunk.byteLength <= PIECE_BYTES
    this.#retained.push(isJoined ? Buffer.concat([this.#retained.pop()!, chunk]) : new Uint8Array(chunk))
    this.#retainedBytes += chunk.byteLength
    for (let first = this.#retained[0]; first !== undefined; first = this.#retained[0]) {
      if (this.#retainedBytes - first.byteLength < RETAINED_BYTES) return
      this.#retained.shift()
      this.#retainedBytes -= first.byteLength
      this.lost += first.byteLength
    }
  }
}
