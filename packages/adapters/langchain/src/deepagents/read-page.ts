import { linePieces } from './line-pieces.ts'

/** UTF-16 units of a page, at most; the tools of deepagents show the model 80,000. */
const PAGE_LENGTH = 1_048_576
const CUT = '… [this line goes on: search it for what you need]'

/** A page of a text, with the fields by which deepagents says what it shows and where to go on. */
export interface Page {
  readonly content: string
  readonly totalLines?: number
  readonly startLine?: number
  readonly endLine?: number
  readonly nextOffset?: number
}

/**
 * Read lines as the backends of deepagents do, and no further than needed.
 *
 * `totalLines` is there where the end was reached. A page that grows too large ends early, and says where to go on; a
 * line that is too large by itself is cut, and says so.
 *
 * @param countAll - Read to the end, so that `totalLines` is there in any case.
 */
export async function readPage(
  chunks: AsyncIterable<Uint8Array>,
  offset: number,
  limit: number,
  countAll: boolean,
): Promise<Page> {
  const first = wholeNumber(offset)
  let end = first + wholeNumber(limit)
  let pageLength = 0
  let lineLength = 0
  let count = 0
  let totalLines: number | undefined = 0
  const parts: string[] = []

  reading: for await (const pieces of linePieces(chunks)) {
    for (const { index, text, begins } of pieces) {
      // The empty rest after a final LF is no line.
      totalLines = text === '' && begins ? index : index + 1
      if (index < first) continue
      if (begins && pageLength > PAGE_LENGTH) end = Math.min(end, index)
      if (index < end) {
        if (begins) {
          if (count > 0) parts.push('\n')
          count += 1
          lineLength = 0
        }
        const left = PAGE_LENGTH - lineLength
        if (left >= 0) parts.push(text.length > left ? text.slice(0, left) + CUT : text)
        lineLength += text.length
        pageLength += text.length + 1
      }
      if (!countAll && totalLines > end) {
        totalLines = undefined
        break reading
      }
    }
  }
  const content = parts.join('')
  if (count === 0 || (totalLines !== undefined && first >= totalLines)) return { content }
  const endLine = Math.min(first + count, totalLines ?? Infinity)
  const page = { content, startLine: first + 1, endLine }
  if (totalLines === undefined) return { ...page, nextOffset: endLine }
  return endLine < totalLines ? { ...page, totalLines, nextOffset: endLine } : { ...page, totalLines }
}

/** What deepagents makes of a bound that a model wrote. */
const wholeNumber = (value: number): number => (Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0)
