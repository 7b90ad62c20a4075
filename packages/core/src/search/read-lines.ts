import type { LineRange } from '@spillway/text/internal'
import type { ByteSpan } from '@spillway/text/internal/patterns'
import { withLineIndex, type ContentSource } from '../content/content-source.ts'
import { LineFinder } from './line-finder.ts'

/** Where lines lie, in bytes of the content. */
export interface LineSpan extends ByteSpan {
  /** The range, clipped to the end of the content. */
  readonly range: LineRange
  /** Lines of the whole content. */
  readonly lines: number
}

/**
 * Find the bytes of a range of lines, reading at most the two blocks in which it begins and ends; `undefined` where it
 * begins beyond the end of the content.
 */
export async function findLineSpan(source: ContentSource, range: LineRange): Promise<LineSpan | undefined> {
  return await withLineIndex(source, async (blocks) => {
    const { lines } = blocks.index
    if (range.start > lines) return undefined
    const last = Math.min(range.end, lines)
    const finder = new LineFinder(blocks)
    const start = await finder.startOfLine(range.start)
    const end = last === lines ? source.size : await finder.startOfLine(last + 1)
    return { start, end, range: { start: range.start, end: last }, lines }
  })
}
