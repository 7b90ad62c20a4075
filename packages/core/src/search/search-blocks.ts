import { concatBytes, findBytes, utf8Text } from '@spillway/text/internal'
import type { TextPiece } from '@spillway/text/internal/query'
import type { ContentSource } from '../content/content-source.ts'
import { MAX_WHOLE_BYTES } from '../storage/content-cache.ts'

/** Longest line that is searched whole, in bytes. Longer lines are searched in parts. */
const MAX_LINE_BYTES = 1_048_576
/** Number of bytes that two parts of a line share. A match up to this length is always found. */
const OVERLAP = 65_536
/** Number of bytes before a part that look-behind and word boundaries can see. */
const LOOK_BACK = 1_024
const LINE_FEED = 10
const LINE_END: Uint8Array = Uint8Array.of(LINE_FEED)
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

export interface LinePart {
  readonly from: number
  /** Matches from this offset on are found in the next part. In the last part of a line, the end of the bytes. */
  readonly until: number
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Whole lines, or a part of one very long line. The last line includes its LF, unless the content ends without one. */
export interface SearchBlock {
  readonly bytes: Uint8Array
  readonly offset: number
  readonly part?: LinePart
}

/** Split content into blocks of whole lines with up to 1 MiB. A byte order mark at the start is left out. */
export async function* searchBlocks(source: ContentSource, start: number, end: number): AsyncGenerator<SearchBlock> {
  const whole = source.size <= MAX_WHOLE_BYTES ? await source.read(start, end - start) : undefined
  // The incomplete line so far, and its offset in the content.
  let pieces: Uint8Array[] = []
  let carried = 0
  let offset = start
  let inParts = false

  function takeLine(isLast: boolean): SearchBlock {
    const at = offset - start
    const bytes = whole?.subarray(at, at + carried) ?? concatBytes(pieces, carried)
    const block = { bytes, offset }
    const part = { from: inParts ? LOOK_BACK : 0, isFirst: !inParts, isLast }
    const until = isLast ? carried : carried - OVERLAP
    // The next part begins with the overlap.
    pieces = isLast ? [] : [bytes.subarray(until - LOOK_BACK)]
    offset += isLast ? carried : until - LOOK_BACK
    carried = isLast ? 0 : OVERLAP + LOOK_BACK
    const wasInParts = inParts
    inParts = !isLast
    return wasInParts || !isLast ? { ...block, part: { ...part, until } } : block
  }

  for await (const block of whole === undefined ? source.blocks(start, end, { transient: true }) : [whole]) {
    let at = 0
    // End of the line at `at`. The end is kept, because a long line is taken in many parts.
    let lineEnd = 0
    if (offset === 0 && carried === 0 && BYTE_ORDER_MARK.every((byte, index) => block[index] === byte)) {
      offset = at = BYTE_ORDER_MARK.length
    }
    while (at < block.length) {
      if (carried === 0) {
        const cut = block.lastIndexOf(LINE_FEED, Math.min(at + MAX_LINE_BYTES, block.length) - 1) + 1
        if (cut > at) {
          yield { bytes: block.subarray(at, cut), offset }
          offset += cut - at
          at = cut
          continue
        }
      }
      if (lineEnd <= at) lineEnd = findBytes(block, LINE_END, at) + 1 || block.length
      const taken = Math.min(lineEnd - at, MAX_LINE_BYTES - carried)
      // The bytes are copied, because the memory of a block may be reused for the next block.
      if (whole === undefined) pieces.push(block.slice(at, at + taken))
      carried += taken
      at += taken
      if (block[at - 1] === LINE_FEED) yield takeLine(true)
      else if (carried === MAX_LINE_BYTES) yield takeLine(false)
    }
  }
  if (carried > 0) yield takeLine(true)
}

const PIECE_BYTES = 65_536
/** Largest distance from the size limit at which a long line is divided between words. */
const WORD_BYTES = 256
const SEPARATOR = /[^\w\u0080-\uffff]/

/** Split content into pieces of up to 64 KiB: whole lines, or parts of one longer line. */
export async function* textPieces(source: ContentSource): AsyncGenerator<TextPiece> {
  let isWithinLine = false
  for await (const { bytes, offset, part } of searchBlocks(source, 0, source.size)) {
    // The parts of a line may begin and end inside a character.
    const last = characterStart(bytes, part?.until ?? bytes.length)
    for (let start = characterStart(bytes, part?.from ?? 0); start < last;) {
      const limit = Math.min(start + PIECE_BYTES, last)
      const piece = bytes.subarray(start, limit)
      const lineFeed: number = isWithinLine ? piece.indexOf(LINE_FEED) : piece.lastIndexOf(LINE_FEED)
      const isCut = lineFeed < 0
      const end = !isCut ? start + lineFeed + 1 : limit < last ? partEnd(bytes, limit) : limit
      const endsLine = !isCut || (end === bytes.length && part?.isLast !== false)
      const { text, byteOf } = pieceText(bytes, start, isCut ? end : end - 1)
      const startsLine = !isWithinLine
      yield { text, startsLine, endsLine, end: offset + end, byteOf: (unit) => offset + byteOf(unit) }
      isWithinLine = !endsLine
      start = end
    }
  }
}

/** Return the end of a part of a long line: between words, or at least between characters. */
function partEnd(bytes: Uint8Array, limit: number): number {
  for (let end = limit; end > limit - WORD_BYTES; end--)
    if (SEPARATOR.test(String.fromCharCode(bytes[end - 1]!))) return end
  return characterStart(bytes, limit)
}

/** Characters at which `^` and `$` match with the flag `m`, although no line of a search ends there. */
const OTHER_LINE_ENDS = /[\r\u2028\u2029]/

/** The lines of a block as text to search, with a function that maps UTF-16 units to bytes. */
export interface PieceText {
  /** The lines joined by LF. A CR before an LF, and the final LF, are left out. */
  readonly text: string
  /** Whether `^` and `$` with the flag `m` match only at the ends of lines. */
  readonly hasPlainLines: boolean
  /** Return the first byte of a unit's character. With `'end'`, return the end of the bytes before the unit. */
  byteOf(unit: number, side?: 'end'): number
}

export function pieceText(bytes: Uint8Array, start: number, end: number): PieceText {
  const decoded = utf8Text(bytes, start, end)
  // No byte decodes to more than one unit, so equal lengths mean one unit for each byte.
  const isDirect = decoded.length === end - start
  const hasReturns = decoded.includes('\r')
  if (isDirect && !hasReturns) return { text: decoded, hasPlainLines: true, byteOf: (unit) => start + unit }
  let text = hasReturns ? decoded.replaceAll('\r\n', '\n') : decoded
  if (bytes[end] === LINE_FEED && text.endsWith('\r')) text = text.slice(0, -1)
  const findByte = byteFinder(bytes, start, end, text, isDirect)
  return {
    text,
    get hasPlainLines() {
      return !OTHER_LINE_ENDS.test(text)
    },
    byteOf: (unit, side) => findByte(unit, side === 'end'),
  }
}

/** Maps units to bytes, fastest in ascending order. Only units of one line are counted, because each LF is one byte. */
function byteFinder(bytes: Uint8Array, start: number, end: number, text: string, isDirect: boolean) {
  let atUnit = 0
  let atByte: number = start
  let lineFeed: number = text.indexOf('\n')

  function find(unit: number, isEnd: boolean): number {
    if (unit < atUnit) {
      atUnit = 0
      atByte = start
      lineFeed = text.indexOf('\n')
    }
    skipLines(unit)
    // The unit is inside a surrogate pair.
    const isHalf = !isDirect && isHighSurrogate(text, unit - 1) && isLowSurrogate(text, unit)
    advance(isHalf ? unit - 1 : unit)
    return isHalf && isEnd ? atByte + 4 : atByte
  }

  function skipLines(unit: number): void {
    while (lineFeed >= 0 && lineFeed < unit) {
      atUnit = lineFeed + 1
      atByte = bytes.indexOf(LINE_FEED, atByte) + 1
      lineFeed = text.indexOf('\n', atUnit)
    }
  }

  function advance(unit: number): void {
    const units = unit - atUnit
    atByte += isDirect ? units : unitsToBytes(bytes, atByte, end, units)
    atUnit = unit
  }

  return find
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit < 0xdc00
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}

/** Return the bytes from `start` that make `units` UTF-16 units. Invalid bytes count as in the Encoding Standard. */
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

export function characterStart(bytes: Uint8Array, at: number): number {
  for (let from = at - 1; from >= 0 && from >= at - 3; from--) {
    if ((bytes[from]! & 0xc0) !== 0x80) return Math.max(at, from + Math.abs(characterLength(bytes, from, bytes.length)))
  }
  return at
}

/** Return the bytes of the character at `at`, from 1 to 4, or a negative number if they are invalid. */
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
