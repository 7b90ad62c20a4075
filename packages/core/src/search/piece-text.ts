import { isAsciiBytes, singleByteText, utf8Text } from '#platform'
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
   * ends. Asked for lines in ascending order.
   */
  byteOf(unit: number, side?: 'end'): number
}

/**
 * Decode lines.
 *
 * @param start - Where the first line begins in `bytes`.
 * @param end - Where the last line ends, its LF not included.
 * @param asSingleBytes - Read each byte as one unit: where what is sought can tell no byte beyond ASCII from another.
 */
export function pieceText(bytes: Uint8Array, start: number, end: number, asSingleBytes: boolean): PieceText {
  const isDirect = asSingleBytes || isAsciiBytes(bytes, start, end)
  const decoded = isDirect ? singleByteText(bytes, start, end) : utf8Text(bytes, start, end)
  const hasReturns = decoded.includes('\r')
  if (isDirect && !hasReturns) return { text: decoded, hasPlainLines: true, byteOf: (unit) => start + unit }
  let text = decoded.replaceAll('\r\n', '\n')
  if (bytes[end] === LINE_FEED && text.endsWith('\r')) text = text.slice(0, -1)
  return { text, hasPlainLines: !OTHER_LINE_ENDS.test(text), byteOf: byteFinder(bytes, start, end, text, isDirect) }
}

/** Lines end at the same LF in the text and in the bytes; within a line, units are counted. */
function byteFinder(
  bytes: Uint8Array,
  start: number,
  end: number,
  text: string,
  isDirect: boolean,
): PieceText['byteOf'] {
  let lineStart = 0
  let byteStart = start
  return (unit, side) => {
    for (let next = text.indexOf('\n', lineStart); next >= 0 && next < unit; next = text.indexOf('\n', lineStart)) {
      lineStart = next + 1
      byteStart = bytes.indexOf(LINE_FEED, byteStart) + 1
    }
    const units = unit - lineStart
    return byteStart + (isDirect ? units : unitsToBytes(bytes, byteStart, end, units, side === 'end' ? 'up' : 'down'))
  }
}
