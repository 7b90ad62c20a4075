import type { ContentSource } from '../content/content-source.ts'
import { findLineSpan } from '../search/read-lines.ts'
import type { LineSpan } from '../search/read-lines.ts'
import { viewWholeLine, type LineView } from '../search/view-line.ts'
import { LINE_BLOCK_BYTES } from '../storage/line-index.ts'

/** How much is read of lines. */
export interface ViewLimits {
  /** UTF-16 units of a line. */
  readonly keep: number
  /** UTF-16 units in all; the line that reaches it is the last. */
  readonly limit: number
}

/** UTF-8 has at most this many bytes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Read the lines of a span from its start, no further than they are needed. */
export async function readViews(
  source: ContentSource,
  span: LineSpan,
  { keep, limit }: ViewLimits,
): Promise<readonly LineView[]> {
  const views: LineView[] = []
  let size = 0
  let number = span.range.start
  for (let at = span.start; at < span.end && size < limit;) {
    const bytes = await source.read(at, Math.min(LINE_BLOCK_BYTES, span.end - at))
    const isLast = at + bytes.length >= span.end
    let from = 0
    while (from < bytes.length && size < limit) {
      const lineFeed = bytes.indexOf(LINE_FEED, from)
      if (lineFeed < 0 && !isLast) break
      const end = lineFeed < 0 ? bytes.length : lineFeed
      const line = { number, start: at + from, end: at + end }
      const view = viewWholeLine(bytes.subarray(from, end + 1), line, keep)
      views.push(view)
      size += view.text.length + String(number).length + 4
      number++
      from = lineFeed < 0 ? end : end + 1
    }
    if (from > 0) at += from
    else {
      // A line longer than what is read at once: its beginning is shown, and its end found by the index of lines.
      const whole = await findLineSpan(source, { start: number, end: number })
      const end = whole?.end ?? span.end
      const head = await source.read(at, Math.min(end - at, keep * BYTES_PER_UNIT))
      const text = decodeHead(head, at === 0).slice(0, keep)
      views.push({ number, length: Math.max(text.length, await lengthOf(source, at, end)), text, offset: 0 })
      size += text.length + String(number).length + 4
      number++
      at = end
    }
  }
  return views
}

/** Bytes of a line without its end. */
async function lengthOf(source: ContentSource, start: number, end: number): Promise<number> {
  const tail = await source.read(end - 2, 2)
  const lineFeed = tail[1] === LINE_FEED ? 1 : 0
  return end - start - lineFeed - (lineFeed === 1 && tail[0] === CARRIAGE_RETURN ? 1 : 0)
}

/** Decode the beginning of a line; only the very first may begin with a byte order mark that is not part of it. */
function decodeHead(bytes: Uint8Array, isFirst: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: !isFirst }).decode(bytes, { stream: true })
}
