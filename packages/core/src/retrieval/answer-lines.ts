import { contentTypeEssence, formatCount, type LineRange } from '@spillway/text/internal'
import type { ByteSpan } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { findLineSpan } from '../search/view-hits.ts'
import { assertText } from './assert-text.ts'
import { withContent } from './open-content.ts'
import { byteBeyondEnd, lineBeyondEnd } from './range-error.ts'
import { spanOf } from './render-lines.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { BytesRequest, HeadRequest } from './retrieval-input.ts'
import { writeText, type TextEnd } from './write-text.ts'

/** All lines. */
const EVERY_LINE: LineRange = { start: 1, end: Number.MAX_SAFE_INTEGER }

/** What is said where there are no lines at all. */
export const EMPTY_NOTE = '[The content is empty: 0 lines]'

/** Answer a call for a span of lines. */
export async function answerRange(reference: string, range: LineRange, context: RetrievalContext): Promise<string> {
  const reading = { ...context, readsPart: true }
  return await withContent(context.storage, reference, reading, (source) => writeRange(source, range, context))
}

/** Answer a call for the first lines, or the last. */
export async function answerHead(request: HeadRequest, context: RetrievalContext): Promise<string> {
  const { reference, lines, skip, fromEnd } = request
  return await withContent(context.storage, reference, { ...context, readsPart: true }, async (source) => {
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
  const size = ` The whole (${formatCount(source.size)} bytes) does not fit in one answer; ${finds}.`
  return await writeRange(source, EVERY_LINE, context, size)
}

/** Answer a call for a span of bytes. */
export async function answerBytes({ reference, range }: BytesRequest, context: RetrievalContext): Promise<string> {
  return await withContent(context.storage, reference, context, async (source) => {
    assertText(source)
    if (source.size === 0) return EMPTY_NOTE
    if (range.start > source.size) throw byteBeyondEnd(range, source.size)
    const span = { start: range.start - 1, end: Math.min(range.end, source.size) }
    const header = (firstLine: number, { line, byte }: { readonly line: number; readonly byte: number }): string => {
      const lines = line === firstLine ? `line ${line}` : `lines ${firstLine}-${line}`
      return `[Bytes ${spanOf(span.start, byte)} of ${formatCount(source.size)}, in ${lines}]`
    }
    const more = ({ byte }: TextEnd): string => noteBytes(source, { ...span, start: byte }, '', context)
    return await writeText(source, span, { header, more }, context)
  })
}

async function writeRange(
  source: ContentSource,
  range: LineRange,
  context: RetrievalContext,
  note = '',
): Promise<string> {
  assertText(source)
  const span = await findLineSpan(source, range)
  if (span === undefined) {
    const { lines } = await source.lineIndex()
    if (lines === 0) return EMPTY_NOTE
    throw lineBeyondEnd(range, lines)
  }
  // A byte order mark alone.
  if (source.size === 3 && (await source.read(0, 3))[0] === 0xef) return EMPTY_NOTE
  const { start, end } = span.range
  const frame = {
    header: (_: number, last: TextEnd) => `[Lines ${start}-${last.line} of ${span.lines}]`,
    more: ({ line, byte, isLineEnd }: TextEnd) => {
      if (!isLineEnd) return noteBytes(source, { start: byte, end: span.end }, note, context)
      const call = context.formatCall({ reference: source.reference, line_range: { start: line + 1, end } })
      return `[Not shown: lines ${line + 1}-${end}.${note} To continue: ${call}]`
    },
  }
  return await writeText(source, span, frame, context)
}

/** Say how to read on within a line. */
function noteBytes(
  { reference }: ContentSource,
  { start, end }: ByteSpan,
  note: string,
  context: RetrievalContext,
): string {
  const call = context.formatCall({ reference, byte_range: { start: start + 1, end } })
  return `[Not shown: bytes ${spanOf(start, end)}.${note} To continue: ${call}]`
}

function isJson({ contentType }: ContentSource): boolean {
  return contentTypeEssence(contentType) === 'application/json'
}
