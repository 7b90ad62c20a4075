/** Carries a failure of the chunks past the file system's own, so that neither is taken for the other. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure'
}

/**
 * The chunks of a content that is to be written, of which the first can be looked at before. {@link end} must be called
 * once nothing more is needed.
 */
export class ContentSource {
  readonly #chunks: AsyncGenerator<Uint8Array>
  #taken: readonly IteratorResult<Uint8Array, unknown>[] | undefined

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = guarded(chunks)
  }

  /** Return the content where it is one chunk. */
  async onlyChunk(): Promise<Uint8Array | undefined> {
    if (this.#taken === undefined) {
      const first = await this.#chunks.next()
      this.#taken = first.done === true ? [first] : [first, await this.#chunks.next()]
    }
    const [first, second] = this.#taken
    return first?.done !== true && second?.done === true ? first?.value : undefined
  }

  /** Go through all chunks, once. */
  async *all(): AsyncGenerator<Uint8Array> {
    for (const next of this.#taken ?? []) if (next.done !== true) yield next.value
    yield* this.#chunks
  }

  /** Read what need not be written. */
  async drain(): Promise<void> {
    for await (const _ of this.#chunks);
  }

  /** Tell the chunks that no more of them are needed. */
  async end(): Promise<void> {
    await this.#chunks.return(undefined)
  }
}

async function* guarded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (cause) {
    throw new SourceFailure('The chunks to store failed.', { cause })
  }
}
