import { cleanLine, detach, isDrawn, utf8Text } from '@spillway/text/internal'
import type { ByteSpan } from '@spillway/text/internal/patterns'
import { withLineIndex, type ContentSource } from '../content/content-source.ts'
import { LineFinder, type FoundLine } from './line-finder.ts'
import { unitsToBytes } from './search-blocks.ts'

export interface ViewOptions {
  readonly contextLines: number
  readonly keep: number
  /** Limit of all views together, in UTF-16 units. The view that reaches the limit is the last one. */
  readonly limit: number
  /** View only the first hit of each line. */
  readonly onePerLine?: boolean
}

interface HitViews {
  /** Views in the order of the content. A line has one view, but each hit of a very long line has its own. */
  readonly views: readonly LineView[]
  readonly shown: number
}

/** UTF-16 units that an answer adds to each line, for example its number. */
const FRAME_UNITS = 6

export async function viewHits(
  source: ContentSource,
  hits: readonly ByteSpan[],
  options: ViewOptions,
): Promise<HitViews> {
  return await withLineIndex(source, (blocks) => viewsOf(source, new LineFinder(blocks), options, hits))
}

async function viewsOf(
  source: ContentSource,
  finder: LineFinder,
  options: ViewOptions,
  hits: readonly ByteSpan[],
): Promise<HitViews> {
  const views: LineView[] = []
  let size = 0
  let lastLine: FoundLine | undefined
  let contextLeft = 0

  function isFull(): boolean {
    return size >= options.limit
  }

  async function viewAfter(until: number): Promise<void> {
    for (; contextLeft > 0 && lastLine !== undefined && !isFull(); contextLeft--) {
      if (lastLine.number + 1 >= until) return
      const next = await finder.next(lastLine)
      if (next === undefined) return
      await add(next)
    }
  }

  async function viewBefore(line: FoundLine): Promise<void> {
    const first = Math.max(1, line.number - options.contextLines, (lastLine?.number ?? 0) + 1)
    if (first >= line.number || isFull()) return
    let before: FoundLine | undefined = await finder.before(line, line.number - first)
    while (before !== undefined && before.number < line.number && !isFull()) {
      await add(before)
      before = await finder.next(before)
    }
  }

  async function add(line: FoundLine, hit?: ByteSpan): Promise<void> {
    const last = views.at(-1)
    const before = hit !== undefined && last?.hit !== undefined && last.number === line.number ? last : undefined
    const again = before && viewAgain(before, hit!)
    if (again !== undefined) {
      views.push(again)
      return
    }
    const { keep } = options
    const seen = before === undefined ? 0 : before.start + before.bytes.length
    const view = await viewLine(source, finder, line, keep, hit, seen)
    const shown = hit === undefined ? await viewAsShown(source, line, keep, view) : view
    views.push(shown)
    size += shown.text.length + String(shown.number).length + FRAME_UNITS
    lastLine = line
  }

  let shown = 0
  for (const hit of hits) {
    if (isFull()) break
    if (options.onePerLine === true && lastLine !== undefined && hit.start <= lastLine.end) {
      shown++
      continue
    }
    const line = await finder.lineAt(hit.start)
    await viewAfter(line.number)
    await viewBefore(line)
    if (isFull()) break
    await add(line, hit)
    contextLeft = options.contextLines
    shown++
  }
  await viewAfter(Infinity)
  return { views, shown }
}

/** A line, which is cut to its start or to the text around its match if the line is too long. */
export interface LineView {
  readonly number: number
  readonly line: ByteSpan
  readonly text: string
  readonly bytes: Uint8Array
  /** Byte of the content at which `text` starts. */
  readonly start: number
  readonly isWhole: boolean
  /** Whether `text` is a progress line as a terminal shows it, instead of the stored text. */
  readonly isShown?: boolean | undefined
  /** Position of the match, in UTF-16 units of `text`. */
  readonly match?: ByteSpan | undefined
  /** Position of the match, in bytes of the content. Set if `match` is set. */
  readonly hit?: ByteSpan | undefined
}

/** Views of one line: as it is stored, and as a terminal shows it. */
export interface LineViews {
  readonly stored: LineView
  readonly shown: LineView
}

/** View the line of a byte, and lines around it. */
export async function viewLinesAround(
  source: ContentSource,
  offset: number,
  { before, after, keep }: { readonly before: number; readonly after: number; readonly keep: number },
): Promise<{ readonly number: number; readonly views: readonly LineViews[] }> {
  return await withLineIndex(source, async (blocks) => {
    const finder = new LineFinder(blocks)
    const line = await finder.lineAt(offset)
    const views: LineViews[] = []
    let next: FoundLine | undefined = await finder.before(line, before)
    while (next !== undefined && next.number <= line.number + after) {
      const stored = await viewLine(source, finder, next, keep)
      views.push({ stored, shown: await viewAsShown(source, next, keep, stored) })
      next = await finder.next(next)
    }
    return { number: line.number, views }
  })
}

const MAX_DECODED_BYTES = 262_144
const BYTES_PER_UNIT = 3
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Read at most `keep` UTF-16 units of a line around a match. Bytes before `seen` are shown already. */
async function viewLine(
  source: ContentSource,
  finder: LineFinder,
  line: FoundLine,
  keep: number,
  match?: ByteSpan,
  seen = 0,
): Promise<LineView> {
  const size = line.end - line.start
  const bytes = finder.bytesOf(line)
  if (bytes === undefined && size > MAX_DECODED_BYTES) return await viewPart(source, line, keep, match, seen)
  return viewWholeLine(bytes ?? (await source.read(line.start, size + 1)), line, keep, match, seen)
}

/** Return the view of a context line. A progress line is shown as a terminal would show it. */
async function viewAsShown(source: ContentSource, line: FoundLine, keep: number, view: LineView): Promise<LineView> {
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

function viewWholeLine(
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

/** Show another match in a view of its line, or return `undefined` if it is too near the view's end. */
function viewAgain(view: LineView, hit: ByteSpan): LineView | undefined {
  const end = hit.end - view.start
  if (view.line.end > view.start + view.bytes.length && end > (view.bytes.length * 3) / 4) return undefined
  return { ...view, match: unitsOf(view.bytes, hit.start - view.start, end), hit }
}

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

/** View up to `keep` units of a line from the byte `start`. In a progress line, only the state with the match. */
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

/** Converts bytes to UTF-16 units. A byte order mark before `bytes` has negative positions, and counts as empty. */
function unitsOf(bytes: Uint8Array, start: number, end: number): ByteSpan {
  const first = Math.max(0, start)
  const before = utf8Text(bytes, 0, first).length
  return { start: before, end: before + utf8Text(bytes, first, Math.max(first, Math.min(end, bytes.length))).length }
}

/** Return the text around a match, between two carriage returns. A final carriage return is ignored. */
function stateAround(text: string, match: ByteSpan): ByteSpan {
  const next = text.indexOf('\r', match.end)
  const start = match.start === 0 ? 0 : text.lastIndexOf('\r', match.start - 1) + 1
  const end = next < 0 || next === text.length - 1 ? text.length : next
  return start === end ? { start: 0, end: text.length } : { start, end }
}

function isWithinPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && text.codePointAt(at - 1)! > 0xffff
}

function markLength(bytes: Uint8Array, start: number): number {
  return start === 0 && BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0
}

function nextCharacter(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && at < bytes.length && bytes[at]! >= 0x80 && bytes[at]! < 0xc0) at++
  return at
}

/** Return the start of a window of `keep` units around a match. If the match is longer, the window starts with it. */
export function windowStart(match: ByteSpan, length: number, keep: number): number {
  if (length <= keep) return 0
  const around = Math.max(keep - (match.end - match.start), keep / 4)
  const start = match.start - Math.floor(around / 2)
  return Math.max(0, Math.min(start, length - keep))
}
