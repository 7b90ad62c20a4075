import { LineIndexBuilder } from './line-index.ts'

/** Smaller entries are read at once anyway. */
const MIN_INDEXED_BYTES = 1_048_577
/** Content with a zero byte so near its beginning is binary, as `grep` judges it. */
const SNIFFED_BYTES = 8_192

/** Notes where the lines begin of content that goes by, if it is worth it: of text over 1 MiB. */
export class LineIndexRecorder {
  readonly #builder = new LineIndexBuilder()
  #size = 0
  #isBinary = false

  /** Take the next bytes. */
  add(chunk: Uint8Array): void {
    if (this.#size < SNIFFED_BYTES) this.#isBinary ||= chunk.subarray(0, SNIFFED_BYTES - this.#size).includes(0)
    this.#size += chunk.length
    if (!this.#isBinary) this.#builder.add(chunk)
  }

  /** Return what to keep of it, once all of the content has gone by. */
  encoded(): string | undefined {
    return this.#isBinary || this.#size < MIN_INDEXED_BYTES ? undefined : this.#builder.finish().encode()
  }
}
