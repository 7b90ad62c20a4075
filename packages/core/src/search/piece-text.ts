import { isAsciiBytes, singleByteText, utf8Text } from '@spillway/text/internal'
import type { ByteTraits } from './byte-traits.ts'
import type { DecodedText } from './decoded-text.ts'
import type { SearchBlock } from './search-blocks.ts'
import { unitsToBytes } from './units-to-bytes.ts'

const LINE_FEED = 10
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
export interface PieceReading {
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
