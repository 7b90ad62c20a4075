import { concatBytes } from '@spillway/text/internal'
import { isAsciiBytes, singleByteText, utf8Text } from '@spillway/text/internal/engines'
import type { ContentSource } from '../content/content-source.ts'
import { contentCache, MAX_WHOLE_BYTES, type CachePiece } from '../storage/cached-content.ts'

/** Bytes of a line that are searched as one text, at most; longer lines are searched in parts. */
const MAX_LINE_BYTES = 1_048_576
/** Bytes that two parts of one line share: a match up to this length is found wherever it lies. */
const OVERLAP = 65_536
/** Bytes before a part that look-behind and word edges may see. */
const LOOK_BACK = 1_024

const LINE_FEED = 10
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Where a block lies within a line that is longer than {@link MAX_LINE_BYTES}. */
export interface LinePart {
  /** Where the bytes begin that the block before did not have. */
  readonly from: number
  /** Matches that begin here or later are found in the next block; the end of the bytes in the last part. */
  readonly until: number
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Whole lines, the last one with its LF unless the content ends without one, or a part of one very long line. */
export interface SearchBlock {
  readonly bytes: Uint8Array
  /** Where `bytes` begin in the content. */
  readonly offset: number
  readonly part?: LinePart
  /** All of the content as text, where that is remembered. */
  readonly decoded?: DecodedText | undefined
}

/**
 * Divide content into blocks of whole lines of up to 1 MiB; only lines that lie across what is read at once are copied.
 *
 * A byte order mark at the start is left out.
 */
export async function* searchBlocks(source: ContentSource, start: number, end: number): AsyncGenerator<SearchBlock> {
  // What there is of a line that is not complete yet, and where it begins in the content.
  let pieces: Uint8Array[] = []
  let carried = 0
  let offset = start
  let inParts = false

  function takeLine(isLast: boolean): SearchBlock {
    const bytes = concatBytes(pieces, carried)
    const block = { bytes, offset }
    const part = { from: inParts ? LOOK_BACK : 0, isFirst: !inParts, isLast }
    const until = isLast ? carried : carried - OVERLAP
    // The next part begins with what this one shares with it.
    pieces = isLast ? [] : [bytes.subarray(until - LOOK_BACK)]
    offset += isLast ? carried : until - LOOK_BACK
    carried = isLast ? 0 : OVERLAP + LOOK_BACK
    const wasInParts = inParts
    inParts = !isLast
    return wasInParts || !isLast ? { ...block, part: { ...part, until } } : block
  }

  for await (const { block, decoded } of read(source, start, end)) {
    let at = 0
    if (offset === 0 && carried === 0 && BYTE_ORDER_MARK.every((byte, index) => block[index] === byte)) {
      offset = at = BYTE_ORDER_MARK.length
    }
    while (at < block.length) {
      if (carried === 0) {
        const cut = block.lastIndexOf(LINE_FEED, Math.min(at + MAX_LINE_BYTES, block.length) - 1) + 1
        if (cut > at) {
          yield { bytes: block.subarray(at, cut), offset, decoded }
          offset += cut - at
          at = cut
          continue
        }
      }
      const lineFeed = block.indexOf(LINE_FEED, at)
      const lineEnd = lineFeed < 0 ? block.length : lineFeed + 1
      const taken = Math.min(lineEnd - at, MAX_LINE_BYTES - carried)
      // A copy: the memory of a block may be used again for the next.
      pieces.push(block.slice(at, at + taken))
      carried += taken
      at += taken
      if (lineFeed >= 0 && at === lineEnd) yield takeLine(true)
      else if (carried === MAX_LINE_BYTES) yield takeLine(false)
    }
  }
  if (carried > 0) yield takeLine(true)
}

interface ReadBlock {
  readonly block: Uint8Array
  readonly decoded?: DecodedText | undefined
}

/** Read what is remembered as a whole at once, and larger content block by block. */
async function* read(source: ContentSource, start: number, end: number): AsyncGenerator<ReadBlock> {
  if (source.size <= MAX_WHOLE_BYTES) {
    const block = await source.read(start, end - start)
    yield { block, decoded: block.length === source.size ? decodedText(block) : undefined }
  } else {
    for await (const block of source.blocks(start, end, { transient: true })) yield { block }
  }
}

/** Content as text with one UTF-16 unit for each byte. */
interface DecodedText {
  readonly text: string
  readonly isAscii: boolean
  readonly hasReturns: boolean
}

interface Remembered extends DecodedText {
  readonly piece: CachePiece
}

/** Contents that were searched once, and the texts of those that were searched again. */
const searched = new WeakSet<ArrayBufferLike>()
const texts = new WeakMap<ArrayBufferLike, Remembered>()

/**
 * Return content as text if it is searched for a second time: it is decoded then, and remembered within the bytes that a
 * process remembers of content.
 *
 * @param content - All of a content, which never changes: its memory tells it from others.
 */
export function decodedText(content: Uint8Array): DecodedText | undefined {
  const { buffer } = content
  if (content.length === 0 || content.length < buffer.byteLength) return undefined
  const known = texts.get(buffer)
  if (known !== undefined) {
    contentCache.use(known.piece)
    return known
  }
  const isFirst = !searched.has(buffer)
  searched.add(buffer)
  // Not at the cost of the content itself.
  if (isFirst || contentCache.maxBytes < 3 * content.length) return undefined
  const text = singleByteText(content, 0, content.length)
  const owner = new WeakRef(buffer)
  const forget = (): void => {
    const forgotten = owner.deref()
    if (forgotten !== undefined) texts.delete(forgotten)
  }
  const piece = { bytes: content.length, forget }
  const decoded = {
    text,
    isAscii: isAsciiBytes(content, 0, content.length),
    hasReturns: text.includes('\r'),
    piece,
  }
  texts.set(buffer, decoded)
  contentCache.add(piece)
  return decoded
}

/** What ends a line for `^` and `$` with the flag `m`, and is none here. */
const OTHER_LINE_ENDS = /[\r\u2028\u2029]/

/** Lines of a block as a text in which they can be searched, and how its units relate to bytes. */
export interface PieceText {
  /** The lines with LF between them, without the CR before an LF, and without the LF that ends the last. */
  readonly text: string
  /** Whether `^` and `$` with the flag `m` stand just at the ends of lines. */
  readonly hasPlainLines: boolean
  /**
   * Return the byte of the block at which the character of a unit begins, or with `'end'` at which what comes before it
   * ends. It is fast where units are asked for in ascending order.
   */
  byteOf(unit: number, side?: 'end'): number
}

/** What is known of lines before they are decoded. */
interface PieceReading {
  /** What the expression sought can see of them. */
  readonly traits: ByteTraits
  /** The block that they are in. */
  readonly block: SearchBlock
}

/**
 * Decode lines.
 *
 * @param start - Where the first line begins in the block.
 * @param end - Where the last line ends, its LF not included.
 */
export function pieceText({ traits, block }: PieceReading, start: number, end: number): PieceText {
  const { bytes, offset, decoded: whole } = block
  const byteOf = (unit: number): number => start + unit
  if (whole !== undefined && isDirectly(whole, traits))
    return { text: whole.text.slice(offset + start, offset + end), hasPlainLines: true, byteOf }
  const isDirect = traits.isSingleByte || isAsciiBytes(bytes, start, end)
  const decoded = isDirect ? singleByteText(bytes, start, end) : utf8Text(bytes, start, end)
  if (isDirect && !(traits.seesLineEnds && decoded.includes('\r')))
    return { text: decoded, hasPlainLines: true, byteOf }
  let text = decoded.replaceAll('\r\n', '\n')
  if (bytes[end] === LINE_FEED && text.endsWith('\r')) text = text.slice(0, -1)
  const finder = new ByteFinder(bytes, start, end, text, isDirect)
  return {
    text,
    hasPlainLines: !OTHER_LINE_ENDS.test(text),
    byteOf: (unit, side) => finder.find(unit, side === 'end'),
  }
}

/** Whether text with one unit for each byte is what an expression has to see. */
function isDirectly({ isAscii, hasReturns }: DecodedText, { isSingleByte, seesLineEnds }: ByteTraits): boolean {
  return (isSingleByte || isAscii) && !(seesLineEnds && hasReturns)
}

/** Finds the bytes of units: lines end at the same LF in the text and in the bytes, and within a line units are counted. */
class ByteFinder {
  readonly #bytes: Uint8Array
  readonly #start: number
  readonly #end: number
  readonly #text: string
  readonly #isDirect: boolean
  /** A unit at which a character begins, its byte, and the first LF from there. */
  #unit = 0
  #byte: number
  #lineFeed: number

  constructor(bytes: Uint8Array, start: number, end: number, text: string, isDirect: boolean) {
    this.#bytes = bytes
    this.#start = this.#byte = start
    this.#end = end
    this.#text = text
    this.#isDirect = isDirect
    this.#lineFeed = text.indexOf('\n')
  }

  find(unit: number, isEnd: boolean): number {
    if (unit < this.#unit) {
      this.#unit = 0
      this.#byte = this.#start
      this.#lineFeed = this.#text.indexOf('\n')
    }
    this.#skipLines(unit)
    // Within a character that has two units.
    const isHalf = !this.#isDirect && isHighSurrogate(this.#text, unit - 1) && isLowSurrogate(this.#text, unit)
    this.#advance(isHalf ? unit - 1 : unit)
    return isHalf && isEnd ? this.#byte + 4 : this.#byte
  }

  #skipLines(unit: number): void {
    while (this.#lineFeed >= 0 && this.#lineFeed < unit) {
      this.#unit = this.#lineFeed + 1
      this.#byte = this.#bytes.indexOf(LINE_FEED, this.#byte) + 1
      this.#lineFeed = this.#text.indexOf('\n', this.#unit)
    }
  }

  #advance(unit: number): void {
    const units = unit - this.#unit
    this.#byte += this.#isDirect ? units : unitsToBytes(this.#bytes, this.#byte, this.#end, units)
    this.#unit = unit
  }
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit < 0xdc00
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}

/** How an expression can be matched on the bytes of UTF-8. */
export interface ByteTraits {
  /**
   * Whether text that has one unit for each byte will do: where no part of the expression can tell one byte beyond ASCII
   * from another, from several, or from a character.
   */
  readonly isSingleByte: boolean
  /** Whether a CR, or where a line ends, makes a difference. */
  readonly seesLineEnds: boolean
}

const OTHER: ByteTraits = { isSingleByte: false, seesLineEnds: true }
/** Escapes of single ASCII characters, of `\d`, `\w` and `\b`. */
const PLAIN_ESCAPE = /^\\[dwbtfv^$\\.*+?()[\]{}|/\-"' ]/
/** Escapes of all but some ASCII characters. */
const OPEN_ESCAPE = /^\\[DW]/
const SET = /^\[(\^?)((?:[ -Z^-~]|\[|\\[dwbtfv^$\\.*+?()[\]{}|/\-"' ])*)\]/
/** What may follow a set of characters that are not ASCII alone: then it does not matter how many they are. */
const ANY_NUMBER = /^(?:\*|\+(?!\?))/
const REPEATED_GROUP = /\)[*+?{]/

/**
 * Look at the source of an expression, conservatively.
 *
 * Sets that have characters beyond ASCII (`.`, `[^"]`, `\W`) are taken only where any number of them will do, so that it
 * does not matter that a character is several bytes: with `*`, and at most once with `+`, outside of repeated groups.
 */
export function byteTraits(expression: string): ByteTraits {
  let seesLineEnds = false
  let plus = 0
  for (let rest = expression; rest !== '';) {
    const set = SET.exec(rest)
    const isOpen = rest[0] === '.' || OPEN_ESCAPE.test(rest) || set?.[1] === '^'
    const length = set?.[0].length ?? (rest[0] === '\\' ? 2 : 1)
    if (isOpen) {
      seesLineEnds = true
      const number = ANY_NUMBER.exec(rest.slice(length))?.[0]
      if (number === undefined || (number === '+' && ++plus > 1) || REPEATED_GROUP.test(expression)) return OTHER
    } else if (set === null) {
      const isGroup = rest[0] === '(' && rest[1] === '?'
      if (rest[0] === '[' || rest[0]! > '~' || rest[0]! < ' ' || (isGroup && rest[2] !== ':')) return OTHER
      if (rest[0] === '\\' && !PLAIN_ESCAPE.test(rest)) return OTHER
      if (rest[0] === '^' || rest[0] === '$') seesLineEnds = true
    }
    rest = rest.slice(length)
  }
  return { isSingleByte: true, seesLineEnds }
}

/**
 * Return how many bytes from `start` make up the first `units` UTF-16 units of their text, as a decoder of UTF-8 reads
 * them by the Encoding Standard: of what is invalid, each longest beginning of a character becomes one U+FFFD.
 *
 * Where they end within a character of two units, all of it counts.
 */
export function unitsToBytes(bytes: Uint8Array, start: number, end: number, units: number): number {
  let at = start
  let left = units
  while (left > 0 && at < end) {
    const length = characterLength(bytes, at, end)
    left -= length === 4 ? 2 : 1
    at += Math.abs(length)
  }
  return at - start
}

/** Return where the first character begins at or after `at`, by the same rules. */
export function characterStart(bytes: Uint8Array, at: number): number {
  for (let from = at - 1; from >= 0 && from >= at - 3; from--) {
    if ((bytes[from]! & 0xc0) !== 0x80) return Math.max(at, from + Math.abs(characterLength(bytes, from, bytes.length)))
  }
  return at
}

/** Bytes of the character at `at`, 1 to 4; of an invalid one, how many bytes become one U+FFFD, as a negative number. */
function characterLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return -1
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  let lower = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  let upper = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  for (let index = 1; index < length; index++) {
    const byte = at + index < end ? bytes[at + index]! : 0
    if (byte < lower || byte > upper) return -index
    lower = 0x80
    upper = 0xbf
  }
  return length
}
