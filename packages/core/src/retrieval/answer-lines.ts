import {
  contentTypeEssence,
  cutAtGrapheme,
  escapeAround,
  escapeEnd,
  formatCount,
  isTextContentType,
  MAX_ESCAPE,
  mediaKind,
  parseJsonText,
  utf8Text,
  visibleText,
  type LineRange,
  type MediaBlock,
} from '@spillway/text/internal'
import type { ByteSpan } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { findLineSpan, lineOfByte } from '../search/line-finder.ts'
import { characterStart, unitsToBytes } from '../search/search-blocks.ts'
import type { OmittedPart } from '../storage/storage.ts'
import {
  answerContent,
  assertText,
  endedLines,
  lineBeyondEnd,
  pollPause,
  withContent,
  writeWithState,
} from './open-content.ts'
import { byteBeyondEnd, lineOmitted, type BytesRequest, type HeadRequest } from './retrieval-input.ts'
import { RetrievalError, type RetrievalCall, type RetrievalContext, type AnswerLimit } from './retrieval-tool.ts'
import { fitAnswer, fits, formatAnswer, oneLine, shownType, spanOf, unitsFor, type Answer } from './write-answer.ts'

const EVERY_LINE: LineRange = { start: 1, end: Number.MAX_SAFE_INTEGER }
const EMPTY: Answer = { header: ['The content is empty: 0 lines'] }

export async function answerRange(reference: string, range: LineRange, context: RetrievalContext): Promise<Answer> {
  const reading = { readsPart: true }
  return await answerContent(reference, context, reading, (source, limited) => writeRange(source, range, limited))
}

export async function answerHead(request: HeadRequest, context: RetrievalContext): Promise<Answer> {
  const { reference, lines, after, fromEnd, waitSeconds } = request
  const waitUntil = performance.now() + waitSeconds * 1_000
  for (;;) {
    const isLast = performance.now() >= waitUntil
    let isWaiting = false
    const answer = await answerContent(reference, context, { readsPart: true }, async (source, limited) => {
      assertText(source)
      const isOpen = source.state === 'open'
      const total = isOpen ? await endedLines(source) : (await source.lineIndex()).lines
      if (!fromEnd && after >= total && (isOpen || (after > 0 && after === total))) {
        isWaiting = isOpen && !isLast
        return { header: [`No lines after line ${formatCount(after)}${isOpen ? ' yet' : ': the content has ended'}`] }
      }
      const end = fromEnd ? total - after : Math.min(after + lines, isOpen ? total : EVERY_LINE.end)
      const start = fromEnd ? Math.max(1, end - lines + 1) : after + 1
      const range = { start, end: Math.max(start, end) }
      return fromEnd ? await writeTail(source, range, after, limited) : await writeRange(source, range, limited)
    })
    if (!isWaiting) return answer
    await context.pause(pollPause(context.signal))
  }
}

/** Writes the last lines of a range that fit. If not even one fits, writes the end of the last line. */
async function writeTail(
  source: ContentSource,
  { start, end }: LineRange,
  after: number,
  context: RetrievalContext,
): Promise<Answer> {
  const { reference } = source
  const total = end - start + 1
  const restOf = (shown: number): NonNullable<Answer['rest']> => ({
    said: `Not shown: lines ${start}-${end - shown}.`,
    call: { reference, context_lines: total - shown, after: after + shown, from_end: true },
  })
  let best = await writeRange(source, { start, end }, context)
  if (isAll(best)) return best
  const spent = context.countTokens(`\n${formatAnswer({ header: [], rest: restOf(0) }, context)}`)
  const limited = { ...context, maxTokens: Math.max(1, context.maxTokens - spent) }
  let shown = 0
  for (let most = total - 1; shown < most;) {
    const count = Math.ceil((shown + most) / 2)
    const answer = await writeRange(source, { start: end - count + 1, end }, limited)
    if (isAll(answer)) {
      best = { ...answer, rest: restOf(count) }
      shown = count
    } else most = count - 1
  }
  const bytes = shown === 0 ? await findLineSpan(source, { start, end }) : undefined
  if (bytes === undefined) return best
  const from = await afterEscape(source, bytes, Math.max(bytes.start, bytes.end - limited.maxTokens))
  const answer = await writeBytes(source, { start: from, end: bytes.end }, limited)
  return isAll(answer) ? { ...answer, rest: restOfBytes(source, { start: bytes.start, end: from }) } : best
}

/** Returns `byte`, or the end of the escape sequence that contains it, because half of a sequence would be shown as text. */
async function afterEscape(source: ContentSource, { start, end }: ByteSpan, byte: number): Promise<number> {
  const offset = Math.max(start, byte - MAX_ESCAPE)
  const read = await source.read(offset, Math.min(end, byte + MAX_ESCAPE) - offset)
  const escape = escapeAround(new TextDecoder('latin1').decode(read), byte - offset)
  return escape === undefined ? byte : offset + escape.end
}

const isAll = ({ rest }: Answer): boolean => rest?.said === undefined

async function writeBeginning(source: ContentSource, context: RetrievalContext): Promise<Answer> {
  const finds = isJsonSource(source)
    ? 'a json_path selects values of it, a pattern finds lines'
    : 'a pattern finds lines in it'
  const size = ` The whole (${formatCount(source.size)} bytes) does not fit in one answer; ${finds}.`
  return await writeRange(source, EVERY_LINE, context, size)
}

export async function answerBytes({ reference, range }: BytesRequest, context: RetrievalContext): Promise<Answer> {
  return await answerContent(reference, context, {}, async (source, limited) => {
    assertText(source)
    if (source.size === 0) return EMPTY
    if (range.start > source.size) throw byteBeyondEnd(range, source.size)
    return await writeBytes(source, { start: range.start - 1, end: Math.min(range.end, source.size) }, limited)
  })
}

async function writeBytes(source: ContentSource, span: ByteSpan, limit: AnswerLimit): Promise<Answer> {
  const header = (firstLine: number, { line, byte }: { readonly line: number; readonly byte: number }): string => {
    const lines = line === firstLine ? `line ${line}` : `lines ${firstLine}-${line}`
    return `Bytes ${spanOf(span.start, byte)} of ${formatCount(source.size)}, in ${lines}`
  }
  const more = ({ byte }: TextEnd): Answer['rest'] => restOfBytes(source, { ...span, start: byte })
  return await writeText(source, span, { header, more }, limit)
}

async function writeRange(
  source: ContentSource,
  range: LineRange,
  context: RetrievalContext,
  note = '',
): Promise<Answer> {
  assertText(source)
  const { omitted, reference } = source
  if (omitted !== undefined && isIn(omitted, range.start)) throw lineOmitted(range, omitted)
  const found = await findLineSpan(source, range)
  if (found === undefined) {
    const { lines } = await source.lineIndex()
    if (lines === 0) return EMPTY
    throw await lineBeyondEnd(range, source)
  }
  // The content is only a byte order mark.
  if (source.size === 3 && (await source.read(0, 3))[0] === 0xef) return EMPTY
  const { start, end } = found.range
  const linesFrom = (line: number): RetrievalCall => ({ reference, line_range: { start: line, end } })
  // An answer shows lines on one side of the omitted part.
  const isSplit = omitted !== undefined && found.start < omitted.offset && found.end > omitted.offset
  const span = isSplit ? { start: found.start, end: omitted.offset } : found
  const frame = {
    header: (_: number, last: TextEnd) => `Lines ${start}-${last.line} of ${found.lines}`,
    more: ({ line, byte, isLineEnd }: TextEnd) => {
      if (!isLineEnd) return restOfBytes(source, { start: byte, end: span.end }, note)
      return { said: `Not shown: lines ${line + 1}-${end}.${note}`, call: linesFrom(line + 1) }
    },
    after: isSplit ? { call: linesFrom(omitted.afterLine + omitted.lines + 1) } : undefined,
  }
  return await writeText(source, span, frame, context)
}

const isIn = ({ afterLine, lines }: OmittedPart, line: number): boolean => line > afterLine && line <= afterLine + lines

function restOfBytes({ reference }: ContentSource, { start, end }: ByteSpan, note = ''): Answer['rest'] {
  const call = { reference, byte_range: { start: start + 1, end } }
  return { said: `Not shown: bytes ${spanOf(start, end)}.${note}`, call }
}

const isJsonSource = ({ contentType }: ContentSource): boolean => contentTypeEssence(contentType) === 'application/json'

/** Largest number of bytes for each token. Text with more bytes cannot fit, so it is not read. */
const BYTES_PER_TOKEN = 64
/** Largest text that is returned whole, because strings have a maximum length. */
const MAX_WHOLE_BYTES = 64 * 1_048_576

export async function answerFull(reference: string, context: RetrievalContext): Promise<Answer | MediaBlock> {
  return await withContent(context.storage, reference, { ...context, readsPart: true }, async (source) => {
    const mediaKind = mediaKindOf(source.contentType)
    if (mediaKind !== undefined) return await readMedia(source, mediaKind, context)
    if (source.size === 0) return EMPTY
    // Incomplete content is shown as text, with a note below.
    if (source.state === undefined && source.size <= Math.min(MAX_WHOLE_BYTES, context.maxTokens * BYTES_PER_TOKEN)) {
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await source.whole())
      const json = isJsonSource(source) ? await exactJson(text) : undefined
      const answer = {
        header: [],
        parts: [{ reference, lines: [json === undefined ? text.split('\r\n').map(visibleText).join('\r\n') : text] }],
        json,
      }
      if (fits(answer, context)) return answer
    }
    return await writeWithState(source, context, writeBeginning)
  })
}

function mediaKindOf(contentType: string): MediaBlock['type'] | undefined {
  const kind = mediaKind(contentType)
  return kind === 'document' && isTextContentType(contentType) ? undefined : kind
}

async function readMedia(
  source: ContentSource,
  type: MediaBlock['type'],
  { maxMediaBytes }: RetrievalContext,
): Promise<MediaBlock> {
  const { contentType, size } = source
  if (size > maxMediaBytes) {
    throw new RetrievalError(
      'too-large',
      `This content (${shownType(contentType)}, ${formatCount(size)} bytes) is larger than the ` +
        `${formatCount(maxMediaBytes)} bytes that can be returned, and it is not text that could be searched. ` +
        'Work with the preview, or run the tool again for a smaller result.',
    )
  }
  return { type, mediaType: contentType, data: await source.whole() }
}

/** Parses JSON. Returns `undefined` for invalid JSON, and if parsing would change the digits of a number. */
async function exactJson(text: string): Promise<Answer['json']> {
  const value = parseJsonText(text.replace(/^\uFEFF/, ''))
  if (value === undefined) return undefined
  const { rewriteInexactNumbers } = await import('@spillway/text/internal/json')
  return rewriteInexactNumbers(text, () => '') === text ? { value } : undefined
}

const MARK_BYTES = 3
const AROUND_BYTES = 3
const LINE_FEED = 10
const CARRIAGE_RETURN = 13

interface TextEnd {
  readonly line: number
  readonly byte: number
  readonly isLineEnd: boolean
}

interface TextFrame {
  readonly header: (firstLine: number, end: TextEnd) => string
  readonly more: (end: TextEnd) => Answer['rest']
  /** The call that reads the content after the span. */
  readonly after?: Answer['rest']
}

/** Writes a page of text. The page ends at a line end, unless the page would then be less than half full. */
async function writeText(source: ContentSource, span: ByteSpan, frame: TextFrame, limit: AnswerLimit): Promise<Answer> {
  const page = await readPage(source, span, unitsFor(limit))
  const { text, bytes, start, isLast, firstLine, isLineStart } = page
  const write = (units: number): Answer => {
    const end = pageEnd(text, units, isLast)
    const shown = text.slice(0, end)
    const lines = shown.split(/(?<=\n)/)
    const isAll = isLast && end === text.length
    const byte = start + unitsToBytes(bytes, 0, bytes.length, end)
    const isLineEnd = shown.endsWith('\n') || byte === source.size
    const last = { line: firstLine + lines.length - 1, byte, isLineEnd }
    const width = String(last.line).length
    const numbered = lines.map((line, index) => {
      const before = index === 0 && !isLineStart ? '…' : ''
      const after = index === lines.length - 1 && !isLineEnd ? '…' : ''
      return `  ${String(firstLine + index).padStart(width)}| ${before}${oneLine(line.replace(/\r?\n$/, ''))}${after}`
    })
    return {
      header: [frame.header(firstLine, last)],
      parts: [{ reference: source.reference, lines: numbered }],
      rest: isAll ? frame.after : frame.more(last),
    }
  }
  return fitAnswer(write, 1, text.length, limit) ?? write(1)
}

/** Reads a page. A character belongs to the span in which it starts. */
async function readPage(source: ContentSource, span: ByteSpan, most: number) {
  const offset = Math.max(0, span.start - AROUND_BYTES)
  const length = Math.min(span.end + AROUND_BYTES, span.start + most) - offset
  const read = await source.read(offset, length)
  const isMarked = offset === 0 && utf8Text(read, 0, Math.min(MARK_BYTES, read.length)) === '\uFEFF'
  const begin = Math.max(characterStart(read, span.start - offset), isMarked ? MARK_BYTES : 0)
  const isLast = offset + read.length >= span.end
  const end = isLast ? characterStart(read, span.end - offset) : wholeEnd(read)
  const bytes = read.subarray(begin, Math.max(begin, end))
  const text = utf8Text(bytes, 0, bytes.length)
  return {
    text: isLast ? text : withoutBegunEscape(text),
    bytes,
    start: offset + begin,
    firstLine: await lineOfByte(source, offset + begin),
    isLineStart: offset + begin === 0 || read[begin - 1] === LINE_FEED || (isMarked && begin === MARK_BYTES),
    isLast,
  }
}

/** Returns the end of the last complete character. A CR at the end is left out, because an LF may follow. */
function wholeEnd(bytes: Uint8Array): number {
  const end = characterStart(bytes, bytes.length - AROUND_BYTES - 1)
  return bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
}

function withoutBegunEscape(text: string): string {
  const last = text.lastIndexOf('\u001b')
  return last > 0 && escapeEnd(text, last, text.length) === text.length ? text.slice(0, last) : text
}

function pageEnd(text: string, units: number, isLast: boolean): number {
  if (isLast && units >= text.length) return text.length
  // A line end is not written, so it may be just beyond the limit.
  const lineEnd = text.lastIndexOf('\n', units + 1) + 1
  if (lineEnd > units / 2) return lineEnd
  const cut = cutAtGrapheme(text, units).length || (text.codePointAt(0)! > 0xffff ? 2 : 1)
  return escapeAround(text, cut)?.end ?? cut
}
