import { decodeBase64, encodeBase64 } from '#platform'

/** Bytes of the blocks whose line ends are counted. */
export const LINE_BLOCK_BYTES = 65_536

const LINE_FEED = 10
const VERSION = 1
const CHECKSUM_BYTES = 4
/** A version, a size, an ending and a checksum. */
const MAX_FRAME_BYTES = 16
/** Of a count, which is at most {@link LINE_BLOCK_BYTES}. */
const MAX_COUNT_BYTES = 3

/** What an index has beside its counts. */
interface LineIndexParts {
  readonly omitted?: OmittedLines | undefined
  /** Where each block begins, for blocks of other lengths than 64 KiB. */
  readonly starts?: readonly number[] | undefined
}

/** Lines that are missing from the middle of a content. */
export interface OmittedLines {
  /** Where they were, in bytes of what is there. */
  readonly offset: number
  readonly lines: number
  /** Line ends before them. */
  readonly afterLine: number
}

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
  /** Blocks of 64 KiB, the last one shorter, or as given. */
  readonly blocks: number
  readonly endsWithLineFeed: boolean
  /** Line ends before each block, and at the end those of the whole. */
  readonly #before: Float64Array
  /** What is missing from the middle, if anything. */
  readonly omitted: OmittedLines | undefined
  readonly #starts: readonly number[] | undefined

  constructor(
    size: number,
    counts: readonly number[],
    endsWithLineFeed: boolean,
    { omitted, starts }: LineIndexParts = {},
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

  /** Return the index of the same content with numbers that count lines missing from its middle. */
  withOmitted(omitted: OmittedLines): LineIndex {
    const counts = Array.from({ length: this.blocks }, (_, block) => this.lineEndsIn(block))
    return new LineIndex(this.size, counts, this.endsWithLineFeed, { omitted, starts: this.#starts })
  }

  /** Where a block begins, in bytes; the one after the last at the end. */
  startOf(block: number): number {
    return Math.min(
      this.size,
      this.#starts === undefined ? block * LINE_BLOCK_BYTES : (this.#starts[block] ?? Infinity),
    )
  }

  /** The block that a byte is in. */
  blockAt(offset: number): number {
    return this.#starts === undefined
      ? Math.floor(offset / LINE_BLOCK_BYTES)
      : this.#starts.findLastIndex((start) => start <= offset)
  }

  /** Missing lines before a byte, which {@link LineIndex.lineEndsBefore} does not count. */
  omittedBefore(offset: number): number {
    return this.omitted !== undefined && offset >= this.omitted.offset ? this.omitted.lines : 0
  }

  /** Return which line of those that are there has a number; for a missing line, the next. */
  presentLine(line: number): number {
    const { lines, afterLine } = this.omitted ?? { lines: 0, afterLine: line }
    return line - 1 <= afterLine ? line : Math.max(afterLine + 1, line - lines)
  }

  /** Line ends before a block; for the block after the last, those of the whole. */
  lineEndsBefore(block: number): number {
    return this.#before[Math.min(block, this.blocks)]!
  }

  /** Line ends in a block. */
  lineEndsIn(block: number): number {
    return this.lineEndsBefore(block + 1) - this.lineEndsBefore(block)
  }

  /** The block in which a line begins, by its number among those that are there; its first byte may be that of the next block. */
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

const LINE_FEEDS = 0x0a0a0a0a
/** A byte of a sum holds the results of at most so many words. */
const WORDS_AT_ONCE = 255

/** Up to so many bytes, looking for each is as fast, and much faster where this code has not been compiled yet. */
const FEW_BYTES = 65_536

/** Count the LF in `bytes` from `start` to `end`: by looking for each in a few bytes, else as {@link countInBulk} does. */
export function countLineEnds(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  return end - start <= FEW_BYTES ? countByLooking(bytes.subarray(start, end)) : countInBulk(bytes, start, end)
}

/**
 * Count the LF in `bytes` from `start` to `end`, four bytes at a time, for content of which there is much.
 *
 * It takes the same time whatever the lengths of the lines, unlike looking for one LF after the other, which is ten times
 * slower where lines have twenty bytes.
 */
export function countInBulk(bytes: Uint8Array, start: number, end: number): number {
  const toWord = -(bytes.byteOffset + start) & 3
  const wordsStart = Math.min(end, start + toWord)
  const words = Math.max(0, end - wordsStart) >> 2
  const wordsEnd = wordsStart + words * 4
  let count = countOneByOne(bytes, start, wordsStart)
  if (words > 0) count += countInWords(new Int32Array(bytes.buffer, bytes.byteOffset + wordsStart, words))
  return count + countOneByOne(bytes, wordsEnd, end)
}

function countByLooking(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

function countOneByOne(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at++) if (bytes[at] === LINE_FEED) count++
  return count
}

function countInWords(words: Int32Array): number {
  let others = 0
  for (let at = 0; at < words.length;) {
    // Each byte of the sum counts the bytes in its place that are something else.
    let sum = 0
    for (const end = Math.min(words.length, at + WORDS_AT_ONCE); at < end; at++) {
      const word = words[at]! ^ LINE_FEEDS
      sum = (sum + (((((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) >>> 7) & 0x01010101)) | 0
    }
    others += (sum & 255) + ((sum >>> 8) & 255) + ((sum >>> 16) & 255) + (sum >>> 24)
  }
  return words.length * 4 - others
}
