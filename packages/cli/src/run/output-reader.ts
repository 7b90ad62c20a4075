import type { Readable } from 'node:stream'

/** Read one or several streams as one, in the order in which they have something, until they end or are stopped. */
export class OutputReader implements AsyncIterable<Uint8Array> {
  readonly #streams: readonly Readable[]
  #open: number
  #stopped = false
  #failure: Error | undefined
  #wake: () => void = () => {}

  constructor(streams: readonly Readable[]) {
    this.#streams = streams
    this.#open = streams.length
    for (const stream of streams) {
      stream.on('readable', () => this.#wake())
      stream.once('end', () => {
        this.#open -= 1
        this.#wake()
      })
      stream.once('error', (error) => {
        this.#failure = error
        this.#wake()
      })
    }
  }

  /** End after what has arrived so far. */
  stop(): void {
    this.#stopped = true
    this.#wake()
  }

  /** Let go of the streams: whoever still writes to them learns that nobody reads. */
  close(): void {
    for (const stream of this.#streams) stream.destroy()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => (this.#wake = resolve))
        const chunks = this.#streams
          .map((stream) => stream.read() as Uint8Array | null)
          .filter((chunk) => chunk !== null)
        yield* chunks
        if (chunks.length > 0 && !this.#stopped) continue
        if (this.#failure !== undefined) throw this.#failure
        if (this.#open === 0 || this.#stopped) return
        await woken
      }
    } finally {
      this.close()
    }
  }
}
