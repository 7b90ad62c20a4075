import { decodeBase64, encodeBase64 } from '#platform'

export const LINE_BLOCK_BYTES = 65_536
const LINE_FEED = 10
const VERSION = 1
const CHECKSUM_BYTES = 4
const MAX_FRAME_BYTES = 16
const MAX_COUNT_BYTES = 3

/** Lines from `start` to `end`, 1-based and inclusive. */
export interface LineRange {
  readonly start: number
  readonly end: number
}

/** Lines that were removed from the middle of a content. */
export interface OmittedLines {
  /** Byte position of the omitted lines in the remaining content. */
  readonly offset: number
  readonly lines: number
  readonly afterLine: number
}

/**
 * Sparse index of the lines of a content. The index has the number of line ends in each block of 64 KiB. Lines end at
 * LF, and no line starts after a final LF.
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
  readonly size: number
  /** Number of lines in the content, including a last line without an LF. */
  readonly lines: number
  /** Number of blocks. Blocks have 64 KiB or the given lengths, except the last one. */
  readonly blocks: number
  readonly endsWithLineFeed: boolean
  readonly #before: Float64Array
  readonly omitted: OmittedLines | undefined
  readonly #starts: readonly number[] | undefined

  constructor(
    size: number,
    counts: readonly number[],
    endsWithLineFeed: boolean,
    { omitted, starts }: { readonly omitted?: OmittedLines; readonly starts?: readonly number[] | undefined } = {},
  ) {
    this.size = size
    this.omitted = omitted
    this.#starts = starts
    this.blocks = counts.length
    this.endsWithLineFeed = endsWithLineFeed
    this.#before = new Float64Array(counts.length + 1)
    for (let block = 0; block < counts.length; block++) this.#before[block + 1] = this.#before[block]! + counts[block]!
    this.lines = this.#before[counts.length]! + (size === 0 || endsWithLineFeed ? 0 : 1) + (omitted?.lines ?? 0)
  }

  withOmitted(omitted: OmittedLines): LineIndex {
    const counts = Array.from({ length: this.blocks }, (_, block) => this.lineEndsIn(block))
    return new LineIndex(this.size, counts, this.endsWithLineFeed, { omitted, starts: this.#starts })
  }

  /** Return the byte offset of a block's start. For the block after the last block, return the size. */
  startOf(block: number): number {
    return Math.min(
      this.size,
      this.#starts === undefined ? block * LINE_BLOCK_BYTES : (this.#starts[block] ?? Infinity),
    )
  }

  blockAt(offset: number): number {
    return this.#starts === undefined
      ? Math.floor(offset / LINE_BLOCK_BYTES)
      : this.#starts.findLastIndex((start) => start <= offset)
  }

  /** Return the number of omitted lines before a byte. {@link LineIndex.lineEndsBefore} does not count them. */
  omittedBefore(offset: number): number {
    return this.omitted !== undefined && offset >= this.omitted.offset ? this.omitted.lines : 0
  }

  /** Convert a line number to a number that does not count omitted lines. An omitted line gives the line after them. */
  presentLine(line: number): number {
    const { lines, afterLine } = this.omitted ?? { lines: 0, afterLine: line }
    return line - 1 <= afterLine ? line : Math.max(afterLine + 1, line - lines)
  }

  /** Return the number of line ends before a block. For the block after the last block, return the total. */
  lineEndsBefore(block: number): number {
    return this.#before[Math.min(block, this.blocks)]!
  }

  lineEndsIn(block: number): number {
    return this.lineEndsBefore(block + 1) - this.lineEndsBefore(block)
  }

  /** Return the block in which a line begins. The first byte of the line may be in the next block. */
  blockOfLine(line: number): number {
    // Line n begins after line end n - 1: in the last block that has fewer line ends before it.
    let low = 0
    let high = this.blocks - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#before[middle]! < line - 1) low = middle
      else high = middle - 1
    }
    return Math.max(0, low)
  }

  fits(block: number, bytes: Uint8Array): boolean {
    if (countLineEnds(bytes) !== this.lineEndsIn(block)) return false
    return block < this.blocks - 1 || (bytes.at(-1) === LINE_FEED) === this.endsWithLineFeed
  }

  /**
   * Encode the index as text. For 1 GB of content, the text has about 43 KB. It is the Base64 of a version, the size of
   * the content, whether the content ends with LF, a count for each block, and a checksum. Numbers are written in
   * groups of 7 bits, the lowest bits first.
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

  /** Decode a result of {@link LineIndex.encode} for `size` bytes. Returns `undefined` for any other text. */
  static decode(text: string, size: number): LineIndex | undefined {
    const blocks = Math.ceil(size / LINE_BLOCK_BYTES)
    if (text.length > ((blocks * MAX_COUNT_BYTES + MAX_FRAME_BYTES) * 4) / 3) return undefined
    const bytes = decodeBase64(text)
    if (bytes === undefined) return undefined
    const end = bytes.length - CHECKSUM_BYTES
    if (end < 0 || bytes[0] !== VERSION || checksum(bytes, end) !== lastWord(bytes)) return undefined
    let at = 1
    const next = (max: number): number | undefined => {
      let number = 0
      for (let unit = 1; at < end && unit <= Math.max(1, max); unit *= 128) {
        const byte = bytes[at++]!
        number += (byte % 128) * unit
        if (byte < 128) return number <= max ? number : undefined
      }
      return undefined
    }
    if (next(size) !== size) return undefined
    const endsWithLineFeed = next(1) === 1
    const counts: number[] = []
    for (let block = 0; block < blocks; block++) {
      const count = next(Math.min(LINE_BLOCK_BYTES, size - block * LINE_BLOCK_BYTES))
      if (count === undefined) return undefined
      counts.push(count)
    }
    const isConsistent = at === end && (!endsWithLineFeed || counts.at(-1)! > 0)
    return isConsistent ? new LineIndex(size, counts, endsWithLineFeed) : undefined
  }
}

/** Builds a {@link LineIndex} from chunks of any length. */
export class LineIndexBuilder {
  readonly #counts: number[] = []
  #size = 0
  #last: number | undefined

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

/** Append a number. Uses division instead of shifts, because sizes have up to 53 bits. */
function pushNumber(bytes: number[], number: number): void {
  let rest = number
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}

/** FNV-1a with 32 bits, which protects only against accidental damage. */
function checksum(bytes: ArrayLike<number>, end: number): number {
  let sum = 0x811c9dc5
  for (let at = 0; at < end; at++) sum = Math.imul(sum ^ bytes[at]!, 0x01000193)
  return sum >>> 0
}

const lastWord = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true)

/** Smallest size with an index. Smaller entries are read whole. */
const MIN_INDEXED_BYTES = 1_048_577
/** Number of first bytes in which a zero byte marks binary content, as in `grep`. */
const SNIFFED_BYTES = 8_192
/** Largest number of queued chunks. Small chunks need more memory than their bytes. */
const MAX_WAITING = 64

/** Indexes the lines of text over 1 MiB while it is written. Up to 64 chunks are queued before they are counted. */
export class LineIndexRecorder {
  readonly #builder = new LineIndexBuilder()
  #waiting: Uint8Array[] = []
  #size = 0
  #isBinary = false

  /** Add bytes. The caller must not change the bytes later. */
  add(chunk: Uint8Array): void {
    if (this.#size < SNIFFED_BYTES) this.#isBinary ||= chunk.subarray(0, SNIFFED_BYTES - this.#size).includes(0)
    this.#size += chunk.length
    if (this.#isBinary) return
    if (this.#size - chunk.length >= MIN_INDEXED_BYTES || this.#waiting.length === MAX_WAITING) this.#count()
    this.#waiting.push(chunk)
  }

  /** Return the encoded index. Call this method after the whole content was added. */
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

const LINE_FEEDS = 0x0a0a0a0a
/** Number of words whose counts fit in one byte of a sum. */
const WORDS_AT_ONCE = 255
/** Size up to which searching for each LF is as fast as counting. Before the code is compiled, it is much faster. */
const FEW_BYTES = 65_536

/** Count the LFs in `bytes` from `start` to `end`. Searches for each LF if there are few bytes, else counts in bulk. */
export function countLineEnds(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  return end - start <= FEW_BYTES ? countByLooking(bytes.subarray(start, end)) : countInBulk(bytes, start, end)
}

/** Count the LFs in `bytes`, four bytes at once. With lines of 20 bytes, searching for each LF is ten times slower. */
export function countInBulk(bytes: Uint8Array, start: number, end: number): number {
  const toWord = -(bytes.byteOffset + start) & 3
  const wordsStart = Math.min(end, start + toWord)
  const words = Math.max(0, end - wordsStart) >> 2
  const wordsEnd = wordsStart + words * 4
  let count = countByLooking(bytes.subarray(start, wordsStart))
  if (words > 0) count += countInWords(new Int32Array(bytes.buffer, bytes.byteOffset + wordsStart, words))
  return count + countByLooking(bytes.subarray(wordsEnd, end))
}

function countByLooking(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

function countInWords(words: Int32Array): number {
  let others = 0
  for (let at = 0; at < words.length;) {
    // Each byte of the sum counts the bytes at its position that are not LF.
    let sum = 0
    for (const end = Math.min(words.length, at + WORDS_AT_ONCE); at < end; at++) {
      const word = words[at]! ^ LINE_FEEDS
      sum = (sum + (((((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) >>> 7) & 0x01010101)) | 0
    }
    others += (sum & 255) + ((sum >>> 8) & 255) + ((sum >>> 16) & 255) + (sum >>> 24)
  }
  return words.length * 4 - others
}
