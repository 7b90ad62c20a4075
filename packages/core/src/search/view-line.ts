import { utf8Text } from '#platform'
import type { ContentSource } from '../content/content-source.ts'
import { detach } from '../content/detach.ts'
import type { FoundLine } from './line-finder.ts'
import type { ByteSpan } from './search-lines.ts'

/** Where a match lies in its line, in UTF-16 units from 0. */
export interface LineMatch {
  readonly start: number
  readonly end: number
}

/** A line as far as it is shown: all of it, its beginning, or what surrounds its match. */
export interface LineView {
  /** From 1. */
  readonly number: number
  /** UTF-16 units of the whole line; in a line of over 256 KiB, bytes are taken for units, here and below. */
  readonly length: number
  readonly text: string
  /** Where `text` begins in the line. */
  readonly offset: number
  readonly match?: LineMatch | undefined
  /** The byte of the content at which the match begins; set with `match`. */
  readonly matchByte?: number | undefined
}

/** Lines up to this are decoded as a whole. */
const MAX_DECODED_BYTES = 262_144
/** UTF-8 has at most this many bytes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Read a line, or what of it surrounds a match in it; at most `keep` UTF-16 units. */
export async function viewLine(
  source: ContentSource,
  line: FoundLine,
  keep: number,
  match?: ByteSpan,
): Promise<LineView> {
  const size = line.end - line.start
  return size > MAX_DECODED_BYTES
    ? await viewPart(source, line, keep, match)
    : viewWholeLine(await source.read(line.start, size + 1), line, keep, match)
}

/**
 * View a line of which all bytes are there.
 *
 * @param bytes - The line and its LF, if it has one.
 */
export function viewWholeLine(
  bytes: Uint8Array,
  { number, start, end }: FoundLine,
  keep: number,
  match?: ByteSpan,
): LineView {
  const size = end - start
  const isEnded = bytes[size] === LINE_FEED
  const stop = isEnded && size > 0 && bytes[size - 1] === CARRIAGE_RETURN ? size - 1 : size
  const from = start === 0 && BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0
  const text = utf8Text(bytes, from, Math.max(from, stop))
  if (match === undefined) return { number, length: text.length, text: detach(text.slice(0, keep)), offset: 0 }
  const unit = (byte: number): number => utf8Text(bytes, from, Math.max(from, byte - start)).length
  const units = { start: unit(match.start), end: unit(match.end) }
  const offset = windowStart(units, text.length, keep)
  const shown = detach(text.slice(offset, offset + keep))
  return { number, length: text.length, text: shown, offset, match: units, matchByte: match.start }
}

/** Of a very long line only what is shown is read, and columns are bytes. */
async function viewPart(
  source: ContentSource,
  { number, start, end }: FoundLine,
  keep: number,
  match?: ByteSpan,
): Promise<LineView> {
  const length = end - start
  const units = match === undefined ? undefined : { start: match.start - start, end: match.end - start }
  const offset = units === undefined ? 0 : windowStart(units, length, keep)
  const bytes = await source.read(start + offset, Math.min(keep * BYTES_PER_UNIT, length - offset))
  const begin = offset === 0 ? 0 : nextCharacter(bytes)
  const text = detach(new TextDecoder().decode(bytes.subarray(begin), { stream: true }).slice(0, keep))
  const view = { number, length, text, offset: offset + begin }
  return units === undefined ? view : { ...view, match: units, matchByte: match!.start }
}

/** Where the first character begins that is there from its start. */
function nextCharacter(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && at < bytes.length && bytes[at]! >= 0x80 && bytes[at]! < 0xc0) at++
  return at
}

/** Where a window of `keep` units begins that shows a match in the middle, or its beginning where it is longer. */
export function windowStart(match: LineMatch, length: number, keep: number): number {
  if (length <= keep) return 0
  const around = Math.max(keep - (match.end - match.start), keep / 4)
  const start = match.start - Math.floor(around / 2)
  return Math.max(0, Math.min(start, length - keep))
}
