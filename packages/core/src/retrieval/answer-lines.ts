import { contentTypeEssence } from '../content/content-type-essence.ts'
import { formatCount } from '../content/format-count.ts'
import type { ContentSource } from '../content/content-source.ts'
import type { LineRange } from '../content/line-range.ts'
import { findLineSpan } from '../search/read-lines.ts'
import { assertText } from './assert-text.ts'
import { unitsFor } from './fit-answer.ts'
import { withContent } from './open-content.ts'
import { lineBeyondEnd } from './range-error.ts'
import { readViews } from './read-views.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { HeadRequest } from './retrieval-input.ts'
import { writeLines } from './write-lines.ts'

/** UTF-16 units kept of a line, at most. */
const MAX_KEPT = 131_072

/** All lines. */
const EVERY_LINE: LineRange = { start: 1, end: Number.MAX_SAFE_INTEGER }

/** What is said where there are no lines at all. */
export const EMPTY_NOTE = '[The content is empty: 0 lines]'

/** Answer a call for a span of lines. */
export async function answerRange(reference: string, range: LineRange, context: RetrievalContext): Promise<string> {
  return await withContent(context.storage, reference, context, (source) => writeRange(source, range, context))
}

/** Answer a call for the first lines, or the last. */
export async function answerHead(request: HeadRequest, context: RetrievalContext): Promise<string> {
  const { reference, lines, skip, fromEnd } = request
  return await withContent(context.storage, reference, context, async (source) => {
    assertText(source)
    const end = fromEnd ? (await source.lineIndex()).lines - skip : Math.min(skip + lines, EVERY_LINE.end)
    const start = fromEnd ? Math.max(1, end - lines + 1) : skip + 1
    return await writeRange(source, { start, end: Math.max(start, end) }, context)
  })
}

/** Write the beginning of text that is too large to be returned as a whole. */
export async function writeBeginning(source: ContentSource, context: RetrievalContext): Promise<string> {
  const finds = isJson(source)
    ? 'a json_path selects values of it, a pattern finds lines'
    : 'a pattern finds lines in it'
  const size = `The whole (${formatCount(source.size)} bytes) does not fit in one answer; ${finds}.`
  return await writeRange(source, EVERY_LINE, context, size)
}

async function writeRange(
  source: ContentSource,
  range: LineRange,
  context: RetrievalContext,
  note?: string,
): Promise<string> {
  assertText(source)
  const span = await findLineSpan(source, range)
  if (span === undefined) {
    const { lines } = await source.lineIndex()
    if (lines === 0) return EMPTY_NOTE
    throw lineBeyondEnd(range, lines)
  }
  const limit = unitsFor(context)
  const views = await readViews(source, span, { keep: Math.min(limit, MAX_KEPT), limit })
  // A byte order mark alone.
  if (views.length === 1 && span.lines === 1 && views[0]!.length === 0 && source.size === 3) return EMPTY_NOTE
  const { end } = span.range
  const values = isJson(source) ? ', a json_path selects values' : ''
  const frame = {
    cut: `[Long lines are cut: a pattern shows the part of a line around its match${values}.]`,
    header: (last: number): string => `[Lines ${range.start}-${last} of ${span.lines}]`,
    more: (last: number): string | undefined => {
      if (last >= end) return undefined
      const call = context.formatCall({ reference: source.reference, line_range: { start: last + 1, end } })
      const said = note === undefined ? '' : ` ${note}`
      return `[Not shown: lines ${last + 1}-${end}.${said} To continue: ${call}]`
    },
  }
  return writeLines(views, frame, context)
}

function isJson({ contentType }: ContentSource): boolean {
  return contentTypeEssence(contentType) === 'application/json'
}
