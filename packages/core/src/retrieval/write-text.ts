import { utf8Text, escapeEnd, escapeAround, cutAtGrapheme } from '@spillway/text/internal'
import type { ByteSpan } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { characterStart, unitsToBytes } from '../search/search-blocks.ts'
import { cutToFit, fitCount, unitsFor, type AnswerLimit } from './fit-answer.ts'
import { lineOfByte } from './line-of-byte.ts'
import { oneLine } from './plain-text.ts'

/** Bytes of the byte order mark, which is not part of the text. */
const MARK_BYTES = 3
/** Bytes around a place that tell where a character begins. */
const AROUND_BYTES = 3
const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** The last character that an answer shows, or the place between it and the next. */
export interface TextEnd {
  /** The line of the last character shown, from 1. */
  readonly line: number
  /** The byte of the content after it. */
  readonly byte: number
  /** Whether a line or the content ends there. */
  readonly isLineEnd: boolean
}

/** What the answer says around text. */
export interface TextFrame {
  readonly header: (firstLine: number, end: TextEnd) => string
  /** Say how to go on; only called if the text is not shown to its end. */
  readonly more: (end: TextEnd) => string
}

/**
 * Write the text of a span of bytes from its start, as much of it as fits: whole lines behind their numbers. A line is cut
 * only if the lines before it fill less than half of the answer, so that answers which follow one another show everything,
 * in about as many answers as its size asks for.
 */
export async function writeText(
  source: ContentSource,
  span: ByteSpan,
  frame: TextFrame,
  limit: AnswerLimit,
): Promise<string> {
  const page = await readPage(source, span, unitsFor(limit))
  const { text, bytes, start, isLast, firstLine, isLineStart } = page
  const write = (units: number): string => {
    const end = pageEnd(text, units, isLast)
    const shown = text.slice(0, end)
    const lines = shown.split(/(?<=\n)/)
    const isAll = isLast && end === text.length
    const byte = start + unitsToBytes(bytes, 0, bytes.length, end)
    const isLineEnd = shown.endsWith('\n') || byte === source.size
    const last = { line: firstLine + lines.length - 1, byte, isLineEnd }
    const width = String(last.line).length
    const body = lines.map((line, index) => {
      const before = index === 0 && !isLineStart ? '…' : ''
      const after = index === lines.length - 1 && !isLineEnd ? '…' : ''
      return `  ${String(firstLine + index).padStart(width)}| ${before}${oneLine(line.replace(/\r?\n$/, ''))}${after}`
    })
    return [frame.header(firstLine, last), '', ...body, ...(isAll ? [] : ['', frame.more(last)])].join('\n')
  }
  const best = fitCount(write, 1, text.length, limit)
  return best?.text ?? cutToFit(write(1), limit)
}

interface TextPage {
  readonly text: string
  /** The bytes that `text` was decoded from, and where they begin in the content. */
  readonly bytes: Uint8Array
  readonly start: number
  readonly firstLine: number
  readonly isLineStart: boolean
  /** Whether `text` comes to the end of the span. */
  readonly isLast: boolean
}

/** Read the beginning of a span, at most `most` bytes. A character belongs to the span in which it begins. */
async function readPage(source: ContentSource, span: ByteSpan, most: number): Promise<TextPage> {
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

/** Where the last whole character ends; a CR is left to the LF that may follow it. */
function wholeEnd(bytes: Uint8Array): number {
  const end = characterStart(bytes, bytes.length - AROUND_BYTES - 1)
  return bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
}

function withoutBegunEscape(text: string): string {
  const last = text.lastIndexOf('\u001b')
  return last > 0 && escapeEnd(text, last, text.length) === text.length ? text.slice(0, last) : text
}

/** Choose where to cut a text, near `units` and after its first character. */
function pageEnd(text: string, units: number, isLast: boolean): number {
  if (isLast && units >= text.length) return text.length
  // A line end takes no room.
  const lineEnd = text.lastIndexOf('\n', units + 1) + 1
  if (lineEnd > units / 2) return lineEnd
  const cut = cutAtGrapheme(text, units).length || (text.codePointAt(0)! > 0xffff ? 2 : 1)
  return escapeAround(text, cut)?.end ?? cut
}
