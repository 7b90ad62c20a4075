import { decodeBase64, encodeBase64 } from '#platform'
import { countInBulk, countLineEnds } from './count-line-ends.ts'

/** Bytes of the blocks whose line ends are counted. */
export const LINE_BLOCK_BYTES = 65_536

const LINE_FEED = 10
const VERSION = 1
const CHECKSUM_BYTES = 4
/** A version, a size, an ending and a checksum. */
const MAX_FRAME_BYTES = 16
/** Of a count, which is at most {@link LINE_BLOCK_BYTES}. */
const MAX_COUNT_BYTES = 3

/**
 * Where the lines of a content begin, sparsely: how many line ends each block of 64 KiB has.
 *
 * Lines end at LF, and a final LF ends the last line.
 *
 * @example
 * ```ts
 * import type { LineIndex } from '@spillway/text'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage()
 * const reference = await storage.store('log', new TextEncoder().encode('one\ntwo\n'))
 * const content = await storage.open(reference)
 * const index: LineIndex | undefined = await content.lineIndex?.()
 * console.assert(index?.lines === 2 && index.blockOfLine(2) === 0)
 * await content.close()
 * ```
 */
export class LineIndex {
  /** Bytes of the content. */
  readonly size: number
  /** Lines of the content, the last one also where nothing ends it. */
  readonly lines: number
  /** Blocks of 64 KiB, the last one shorter. */
  readonly blocks: number
  readonly endsWithLineFeed: boolean
  /** Line ends before each block, and at the end those of the whole. */
  readonly #before: Float64Array

  constructor(size: number, counts: readonly number[], endsWithLineFeed: boolean) {
    this.size = size
    this.blocks = counts.length
    this.endsWithLineFeed = endsWithLineFeed
    this.#before = new Float64Array(counts.length + 1)
    for (let block = 0; block < counts.length; block++) this.#before[block + 1] = this.#before[block]! + counts[block]!
    this.lines = this.#before[counts.length]! + (size === 0 || endsWithLineFeed ? 0 : 1)
  }

  /** Line ends before a block; for the block after the last, those of the whole. */
  lineEndsBefore(block: number): number {
    return this.#before[Math.min(block, this.blocks)]!
  }

  /** Line ends in a block. */
  lineEndsIn(block: number): number {
    return this.lineEndsBefore(block + 1) - this.lineEndsBefore(block)
  }

  /** The block in which a line begins, `line` from 1 to `lines`; its first byte may be that of the next block. */
  blockOfLine(line: number): number {
    // Line n begins just after line end n - 1: in the last block that has fewer line ends before it.
    let low = 0
    let high = this.blocks - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#before[middle]! < line - 1) low = middle
      else high = middle - 1
    }
    return Math.max(0, low)
  }

  /** Whether a block that was read can be the one that was indexed. */
  fits(block: number, bytes: Uint8Array): boolean {
    if (countLineEnds(bytes) !== this.lineEndsIn(block)) return false
    return block < this.blocks - 1 || (bytes.at(-1) === LINE_FEED) === this.endsWithLineFeed
  }

  /**
   * Write the index as text, about 43 KB for a content of 1 GB: in base64, a version, the size of the content, whether it
   * ends with LF, a count for each block, and a checksum of these. Numbers are in groups of 7 bits, the low ones first.
   */
  encode(): string {
    const bytes: number[] = [VERSION]
    pushNumber(bytes, this.size)
    bytes.push(this.endsWithLineFeed ? 1 : 0)
    for (let block = 0; block < this.blocks; block++) pushNumber(bytes, this.lineEndsIn(block))
    const sum = checksum(bytes, bytes.length)
    for (let shift = 0; shift < 32; shift += 8) bytes.push((sum >>> shift) & 255)
    return encodeBase64(Uint8Array.from(bytes))
  }

  /** Read what {@link LineIndex.encode} wrote for a content of `size` bytes; `undefined` for anything else. */
  static decode(text: string, size: number): LineIndex | undefined {
    const blocks = Math.ceil(size / LINE_BLOCK_BYTES)
    if (text.length > ((blocks * MAX_COUNT_BYTES + MAX_FRAME_BYTES) * 4) / 3) return undefined
    const bytes = decodeBase64(text)
    if (bytes === undefined) return undefined
    const end = bytes.length - CHECKSUM_BYTES
    if (end < 0 || bytes[0] !== VERSION || checksum(bytes, end) !== lastWord(bytes)) return undefined
    const reader = new NumberReader(bytes, 1, end)
    if (reader.next(size) !== size) return undefined
    const endsWithLineFeed = reader.next(1) === 1
    const counts: number[] = []
    for (let block = 0; block < blocks; block++) {
      const count = reader.next(Math.min(LINE_BLOCK_BYTES, size - block * LINE_BLOCK_BYTES))
      if (count === undefined) return undefined
      counts.push(count)
    }
    const isConsistent = reader.isDone && (!endsWithLineFeed || counts.at(-1)! > 0)
    return isConsistent ? new LineIndex(size, counts, endsWithLineFeed) : undefined
  }
}

/** Builds a {@link LineIndex} from chunks of any length. */
export class LineIndexBuilder {
  readonly #counts: number[] = []
  #size = 0
  #last: number | undefined

  /** Take the next bytes. */
  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const block = Math.floor(this.#size / LINE_BLOCK_BYTES)
      const end = Math.min(chunk.length, at + (block + 1) * LINE_BLOCK_BYTES - this.#size)
      this.#counts[block] = (this.#counts[block] ?? 0) + countInBulk(chunk, at, end)
      this.#size += end - at
      at = end
    }
    this.#last = chunk.at(-1) ?? this.#last
  }

  finish(): LineIndex {
    return new LineIndex(this.#size, this.#counts, this.#last === LINE_FEED)
  }
}

/** Not by shifts: sizes have up to 53 bits. */
function pushNumber(bytes: number[], number: number): void {
  let rest = number
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}

/** Reads numbers up to an end, refusing what is larger than it can be. */
class NumberReader {
  readonly #bytes: Uint8Array
  readonly #end: number
  #at: number

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  get isDone(): boolean {
    return this.#at === this.#end
  }

  /** Return the next number, or `undefined` where there is none, or one over `max`. */
  next(max: number): number | undefined {
    let number = 0
    for (let unit = 1; this.#at < this.#end && unit <= Math.max(1, max); unit *= 128) {
      const byte = this.#bytes[this.#at++]!
      number += (byte % 128) * unit
      if (byte < 128) return number <= max ? number : undefined
    }
    return undefined
  }
}

/** FNV-1a with 32 bits: against a text that was cut or mixed up, not against people. */
function checksum(bytes: ArrayLike<number>, end: number): number {
  let sum = 0x811c9dc5
  for (let at = 0; at < end; at++) sum = Math.imul(sum ^ bytes[at]!, 0x01000193)
  return sum >>> 0
}

const lastWord = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true)
