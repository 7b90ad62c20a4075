import { LineIndexBuilder } from './line-index.ts'

/** Smaller entries are read at once anyway. */
const MIN_INDEXED_BYTES = 1_048_577
/** Content with a zero byte so near its beginning is binary, as `grep` judges it. */
const SNIFFED_BYTES = 8_192
/** So many chunks wait to be counted at most: small ones take more memory than their bytes. */
const MAX_WAITING = 64

/**
 * Notes where the lines begin of content that goes by, if it is worth it: of text over 1 MiB. Line ends are not counted
 * before there is so much of it, so that small content, which is most of it, costs nothing. The last chunk is counted
 * only when it is asked for, which a driver does while that chunk is on its way to the medium.
 */
export class LineIndexRecorder {
  readonly #builder = new LineIndexBuilder()
  #waiting: Uint8Array[] = []
  #size = 0
  #isBinary = false

  /** Take the next bytes, which nobody changes later. */
  add(chunk: Uint8Array): void {
    if (this.#size < SNIFFED_BYTES) this.#isBinary ||= chunk.subarray(0, SNIFFED_BYTES - this.#size).includes(0)
    this.#size += chunk.length
    if (this.#isBinary) return
    if (this.#size - chunk.length >= MIN_INDEXED_BYTES || this.#waiting.length === MAX_WAITING) this.#count()
    this.#waiting.push(chunk)
  }

  /** Return what to keep of it, once all of the content has gone by. */
  encoded(): string | undefined {
    if (this.#isBinary || this.#size < MIN_INDEXED_BYTES) return undefined
    this.#count()
    return this.#builder.finish().encode()
  }

  #count(): void {
    const chunks = this.#waiting
    this.#waiting = []
    for (const chunk of chunks) this.#builder.add(chunk)
  }
}
