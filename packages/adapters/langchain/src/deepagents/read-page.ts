import { textBlocks } from './text-blocks.ts'

/** UTF-16 units of a page, about; the tools of deepagents show the model 80,000. */
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
  const page: string[] = []
  let pageLength = 0
  let lineLength = 0
  let totalLines: number | undefined = 0
  for await (const { text, index, lines, begins } of textBlocks(chunks)) {
    const taken = index < end && index + lines > first ? text.split('\n') : []
    for (const [position, line] of taken.slice(Math.max(0, first - index), end - index).entries()) {
      if (position > 0 || begins || index < first) {
        if (pageLength > PAGE_LENGTH) {
          end = first + page.length
          break
        }
        page.push('')
        lineLength = 0
      }
      const left = PAGE_LENGTH - lineLength
      if (left >= 0) page[page.length - 1] += line.length > left ? line.slice(0, left) + CUT : line
      lineLength += line.length
      pageLength += line.length + 1
    }
    // The empty rest after a final LF is no line.
    const endsEmpty = text === '' ? begins : text.endsWith('\n')
    totalLines = index + lines - (endsEmpty ? 1 : 0)
    if (!countAll && totalLines > end) {
      totalLines = undefined
      break
    }
  }
  const content = page.join('\n')
  if (page.length === 0 || (totalLines !== undefined && first >= totalLines)) return { content }
  const endLine = Math.min(first + page.length, totalLines ?? Infinity)
  const shown = { content, startLine: first + 1, endLine }
  if (totalLines === undefined) return { ...shown, nextOffset: endLine }
  return endLine < totalLines ? { ...shown, totalLines, nextOffset: endLine } : { ...shown, totalLines }
}

/** What deepagents makes of a bound that a model wrote. */
const wholeNumber = (value: number): number => (Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0)
