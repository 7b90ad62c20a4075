import { formatCount } from '../content/format-count.ts'
import { openContent } from './open-content.ts'
import type { ContentSource } from '../content/content-source.ts'
import { unitsFor } from './fit-answer.ts'
import { LineCollector } from './line-collector.ts'
import type { LineProgress } from '../content/lines-within.ts'
import { lineBeyondEnd } from './range-error.ts'
import { EVERY_LINE, readText } from './read-text.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { LineRange } from '../content/line-range.ts'
import { writeLines } from './write-lines.ts'

const BATCH_LENGTH = 262_144

/** Content up to this size is read to its end even where a span of lines ends before, to say how many lines there are. */
const COUNTED_BYTES = 4 * 1_048_576

/** UTF-16 units kept of a line, at most: what a batch of a long line surely has of it. */
const MAX_KEPT = BATCH_LENGTH / 2

/** What is said where there are no lines at all. */
export const EMPTY_NOTE = '[The content is empty: 0 lines]'

/** Answer a call for a span of lines. */
export async function answerRange(reference: string, range: LineRange, context: RetrievalContext): Promise<string> {
  const source = await openContent(context.storage, reference, context)
  return await writeRange(source, range, context)
}

/** Answer a call for the first lines. */
export async function answerHead(reference: string, lines: number, context: RetrievalContext): Promise<string> {
  return await answerRange(reference, { start: 1, end: lines }, context)
}

/** Write the beginning of text that is too large to be returned as a whole. */
export async function writeBeginning(source: ContentSource, context: RetrievalContext): Promise<string> {
  const size = `The whole (${formatCount(source.size)} bytes) does not fit in one answer; a pattern finds lines in it.`
  return await writeRange(source, EVERY_LINE, context, size)
}

async function writeRange(
  source: ContentSource,
  range: LineRange,
  context: RetrievalContext,
  note?: string,
): Promise<string> {
  const limit = unitsFor(context)
  const progress: LineProgress = { lines: 0, ended: false }
  const collector = new LineCollector(Math.min(limit, MAX_KEPT), limit)
  const countAll = source.size <= COUNTED_BYTES
  for await (const batch of readText(source, { range, maxLength: BATCH_LENGTH, countAll }, progress)) {
    collector.add(batch)
    if (collector.isFull && !countAll) break
  }
  const { views } = collector
  if (views.length === 0) {
    if (progress.lines === 0) return EMPTY_NOTE
    throw lineBeyondEnd(range, progress.lines)
  }
  const total = progress.ended ? progress.lines : undefined
  const end = Math.min(range.end, total ?? range.end)
  const frame = {
    header: (last: number): string => `[Lines ${range.start}-${last}${total === undefined ? '' : ` of ${total}`}]`,
    more: (last: number): string | undefined => {
      if (last >= end) return undefined
      const page = end === EVERY_LINE.end ? 2 * last : end
      const call = context.formatCall({ reference: source.reference, line_range: { start: last + 1, end: page } })
      const missing = end === EVERY_LINE.end ? `what follows line ${last}` : `lines ${last + 1}-${end}`
      return `[Not shown: ${missing}.${note === undefined ? '' : ` ${note}`} To continue: ${call}]`
    },
  }
  return writeLines(views, frame, context)
}
