import { utf8Text, cleanLine, isDrawn, detach } from '@spillway/text/internal'
import type { ByteSpan } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import type { FoundLine } from './line-finder.ts'
import { unitsToBytes } from './units-to-bytes.ts'

/** A line as far as it is shown: all of it, its beginning, or the text around its match. */
export interface LineView {
  /** From 1. */
  readonly number: number
  /** The bytes of the content that the whole line takes, without its line end. */
  readonly line: ByteSpan
  readonly text: string
  /** The bytes that `text` was decoded from. */
  readonly bytes: Uint8Array
  /** The byte of the content at which `text` begins. */
  readonly start: number
  /** Whether `text` is the whole line. */
  readonly isWhole: boolean
  /** Whether `text` is what a terminal shows of a line of progress, and not what is stored. */
  readonly isShown?: boolean | undefined
  /** The match, in UTF-16 units of `text`. */
  readonly match?: ByteSpan | undefined
  /** The match, in bytes of the content; set with `match`. */
  readonly hit?: ByteSpan | undefined
}

/** Lines up to this are decoded as a whole. */
const MAX_DECODED_BYTES = 262_144
/** UTF-8 has at most this many bytes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/**
 * Read a line, or the part of it around a match; at most `keep` UTF-16 units.
 *
 * @param seen - The byte up to which the line is shown already: not more than the match is shown of what is before.
 */
export async function viewLine(
  source: ContentSource,
  line: FoundLine,
  keep: number,
  match?: ByteSpan,
  seen = 0,
): Promise<LineView> {
  const size = line.end - line.start
  return size > MAX_DECODED_BYTES
    ? await viewPart(source, line, keep, match, seen)
    : viewWholeLine(await source.read(line.start, size + 1), line, keep, match, seen)
}

/** Return the view of a line that stands near a hit: of progress, what a terminal shows of it. */
export async function viewAsShown(
  source: ContentSource,
  line: FoundLine,
  keep: number,
  view: LineView,
): Promise<LineView> {
  if (!isDrawn(view.text)) return view
  const start = Math.max(line.start, line.end - MAX_DECODED_BYTES)
  const text = cleanLine(utf8Text(await source.read(start, line.end - start), 0, line.end - start))
  const shown = detach(text.slice(0, keep))
  return {
    ...view,
    text: shown,
    bytes: new TextEncoder().encode(shown),
    start: view.line.start,
    isWhole: true,
    isShown: true,
  }
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
  seen = 0,
): LineView {
  const size = end - start
  const isEnded = bytes[size] === LINE_FEED
  const stop = isEnded && size > 0 && bytes[size - 1] === CARRIAGE_RETURN ? size - 1 : size
  const from = markLength(bytes, start)
  const of = { number, line: { start: start + from, end: start + Math.max(from, stop) } }
  return viewDecoded(of, bytes.subarray(from, Math.max(from, stop)), start + from, keep, match, seen)
}

/** Show the text around a match in another view of the same line; `undefined` if little would follow the match there. */
export function viewAgain(view: LineView, hit: ByteSpan): LineView | undefined {
  const end = hit.end - view.start
  if (view.line.end > view.start + view.bytes.length && end > (view.bytes.length * 3) / 4) return undefined
  return { ...view, match: unitsOf(view.bytes, hit.start - view.start, end), hit }
}

/** Of a very long line only what is shown is read. */
async function viewPart(
  source: ContentSource,
  { number, start, end }: FoundLine,
  keep: number,
  match: ByteSpan | undefined,
  seen: number,
): Promise<LineView> {
  const length = end - start
  const within = match && { start: match.start - start, end: match.end - start }
  const offset =
    within === undefined ? 0 : Math.max(windowStart(within, length, keep), Math.min(within.start, seen - start))
  const bytes = await source.read(start + offset, Math.min(keep * BYTES_PER_UNIT, length - offset))
  const begin = offset === 0 ? markLength(bytes, start) : nextCharacter(bytes)
  const of = { number, line: { start: start + (offset === 0 ? begin : 0), end } }
  return viewDecoded(of, bytes.subarray(begin), start + offset + begin, keep, match, seen)
}

/** View up to `keep` units of a line, or of a part of it that begins at the byte `start`; of progress, the state of the match. */
function viewDecoded(
  of: Pick<LineView, 'number' | 'line'>,
  bytes: Uint8Array,
  start: number,
  keep: number,
  hit: ByteSpan | undefined,
  seen: number,
): LineView {
  const text = utf8Text(bytes, 0, bytes.length)
  const match = hit && unitsOf(bytes, hit.start - start, hit.end - start)
  const known = seen > start ? utf8Text(bytes, 0, Math.min(seen - start, bytes.length)).length : 0
  const around = match === undefined ? 0 : Math.max(windowStart(match, text.length, keep), Math.min(match.start, known))
  const state = match === undefined ? { start: 0, end: text.length } : stateAround(text, match)
  const begin = Math.max(around, state.start)
  const from = isWithinPair(text, begin) ? begin + 1 : begin
  const to = Math.min(state.end, begin + keep)
  const end = isWithinPair(text, to) ? to - 1 : to
  const first = unitsToBytes(bytes, 0, bytes.length, from)
  const shown = bytes.slice(first, first + unitsToBytes(bytes, first, bytes.length, end - from))
  const view = {
    ...of,
    text: detach(text.slice(from, end)),
    bytes: shown,
    start: start + first,
    isWhole: start + first === of.line.start && start + first + shown.length === of.line.end,
  }
  return match === undefined ? view : { ...view, match: { start: match.start - from, end: match.end - from }, hit }
}

function unitsOf(bytes: Uint8Array, start: number, end: number): ByteSpan {
  const before = utf8Text(bytes, 0, start).length
  return { start: before, end: before + utf8Text(bytes, start, Math.min(end, bytes.length)).length }
}

/** The part of a line around a match that no carriage return divides; a final one is not looked at. */
function stateAround(text: string, { start, end }: ByteSpan): ByteSpan {
  const next = text.indexOf('\r', end)
  return {
    start: start === 0 ? 0 : text.lastIndexOf('\r', start - 1) + 1,
    end: next < 0 || next === text.length - 1 ? text.length : next,
  }
}

/** Whether a text would be cut between the two halves of a character. */
function isWithinPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && text.codePointAt(at - 1)! > 0xffff
}

/** Bytes of the byte order mark, if these are the first of the content and begin with it. */
function markLength(bytes: Uint8Array, start: number): number {
  return start === 0 && BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0
}

/** Where the first character begins that is there from its start. */
function nextCharacter(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && at < bytes.length && bytes[at]! >= 0x80 && bytes[at]! < 0xc0) at++
  return at
}

/** Where a window of `keep` units begins that shows a match in the middle, or its beginning where it is longer. */
export function windowStart(match: ByteSpan, length: number, keep: number): number {
  if (length <= keep) return 0
  const around = Math.max(keep - (match.end - match.start), keep / 4)
  const start = match.start - Math.floor(around / 2)
  return Math.max(0, Math.min(start, length - keep))
}
