import { GrowingBuffer } from './growing-buffer.ts'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** A line that was too long, in its beginning and its end. */
export interface OverlongLine {
  readonly head: string
  readonly tail: string
  readonly bytes: number
}

/** What a {@link LineReader} tells of. */
export interface LineHandlers {
  readonly onLine: (line: string) => void
  /** The line was not kept. What is left of it may tell which request it answers. */
  readonly onOverlong: (line: OverlongLine) => void
}

/** So much of an overlong line is kept at either end, in bytes. */
const KEPT_BYTES = 512

/**
 * Cuts a stream of UTF-8 into lines, in time that grows with the bytes alone: each is copied once.
 *
 * The buffers of the SDKs copy all that they have with every chunk, and refuse messages of more than 10 MB.
 */
export class LineReader {
  readonly #maxBytes: number
  readonly #handlers: LineHandlers
  /** The beginning of a line whose end has not come. */
  readonly #rest = new GrowingBuffer()
  #overlong: { readonly head: string; tail: Buffer; bytes: number } | undefined

  /** @param maxBytes - Lines with more bytes than this are told of and not kept. */
  constructor(maxBytes: number, handlers: LineHandlers) {
    this.#maxBytes = maxBytes
    this.#handlers = handlers
  }

  /** Take the next bytes. */
  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const bytes = chunk.subarray(start, end)
      if (this.#rest.length === 0 && this.#overlong === undefined && bytes.length <= this.#maxBytes)
        this.#handlers.onLine(
          bytes.toString('utf8', 0, bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length),
        )
      else {
        this.#add(bytes)
        this.#finish()
      }
      start = end + 1
    }
    if (start < chunk.length) this.#add(chunk.subarray(start))
  }

  /** Take the end of the stream: what is left is a line. */
  end(): void {
    if (this.#rest.length > 0 || this.#overlong !== undefined) this.#finish()
  }

  #add(bytes: Buffer): void {
    if (this.#overlong !== undefined) {
      this.#overlong.bytes += bytes.length
      this.#overlong.tail = Buffer.concat([this.#overlong.tail, bytes.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES)
      return
    }
    this.#rest.add(bytes)
    const { length } = this.#rest
    if (length <= this.#maxBytes) return
    const tail = Buffer.from(this.#rest.text(Math.max(0, length - KEPT_BYTES)))
    this.#overlong = { head: this.#rest.text(0, KEPT_BYTES), tail, bytes: length }
    this.#rest.clear()
  }

  #finish(): void {
    const overlong = this.#overlong
    this.#overlong = undefined
    if (overlong !== undefined) return this.#handlers.onOverlong({ ...overlong, tail: overlong.tail.toString('utf8') })
    const line = this.#rest.take()
    this.#handlers.onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
}
