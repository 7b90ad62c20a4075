import type { ContentSource } from '../content/content-source.ts'
import type { LineRange } from '../content/line-range.ts'
import type { ByteSpan } from './search-lines.ts'

/** Where lines lie, in bytes of the content. */
export interface LineSpan extends ByteSpan {
  /** The range, clipped to the end of the content. */
  readonly range: LineRange
  /** Lines of the whole content. */
  readonly lines: number
}

/** Find the bytes of a range of lines; `undefined` where it begins beyond the end of the content. */
export async function findLineSpan(source: ContentSource, range: LineRange): Promise<LineSpan | undefined> {
  const index = await source.lineIndex()
  if (range.start > index.lines) return undefined
  const last = Math.min(range.end, index.lines)
  const bytes = await source.read(0, source.size)
  let start = 0
  let line = 1
  for (; line < range.start; line++) start = bytes.indexOf(10, start) + 1
  let end = start
  for (; line <= last; line++) {
    const lineFeed = bytes.indexOf(10, end)
    end = lineFeed < 0 ? bytes.length : lineFeed + 1
  }
  return { start, end, range: { start: range.start, end: last }, lines: index.lines }
}
