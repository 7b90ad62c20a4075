import { detach, type LineRange } from '@spillway/text/internal'
import { adoptStorage, type AdoptedStorage } from '../content/adopt-storage.ts'
import { withTextSource, type ContentSource } from '../content/content-source.ts'
import { findLineSpan, type LineSpan } from '../search/line-finder.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { OperationOptions, Storage } from '../storage/storage.ts'

const PAGE_BYTES = 1_048_576
const CUT = '… [this line continues: search it for what you need]'
const LINE_FEED = 10

/** A page of lines, as stored. */
export interface LinePage {
  /** The lines, joined by LF. If more lines were requested after the text's final LF, the LF is included. */
  readonly text: string
  /** Range of the lines in `text`. Absent if `text` has no lines. */
  readonly lines?: LineRange
  /** Number of lines in the whole text. */
  readonly totalLines: number
  /** Whether more lines follow. */
  readonly goesOn: boolean
}

/** Read a range of lines. A large page ends early, and a line that is too large is cut. */
export function readLinePage(storage: AdoptedStorage, reference: string, range: LineRange): Promise<LinePage> {
  return readLines(storage, reference, range, {}, async (source, found) => {
    if (found.end - found.start <= PAGE_BYTES) return await wholePage(source, found, range)
    const bytes = await source.read(found.start, PAGE_BYTES)
    const { start } = found.range
    const cut = bytes.lastIndexOf(LINE_FEED)
    const text = decodeStart(cut < 0 ? bytes : bytes.subarray(0, cut))
    const end = cut < 0 ? start : start + text.split('\n').length - 1
    const lines = { start, end }
    return { text: cut < 0 ? text + CUT : text, lines, totalLines: found.lines, goesOn: end < found.lines }
  })
}

/** Decode text, without a last character whose bytes are incomplete. */
const decodeStart = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })

/** Options of {@link readStoredLines}. */
export interface ReadStoredLinesOptions extends OperationOptions {
  /** Maximum bytes of the lines. Defaults to 67,108,864. */
  readonly maxBytes?: number | undefined
  /** Called with the number of bytes before the read. An error thrown here is passed on, and nothing is read. */
  readonly beforeRead?: ((bytes: number) => void) | undefined
}

/**
 * Read exactly the lines of a range with the line index. The encoding is detected. Pages joined by LF equal the
 * content.
 *
 * A range beyond the end has no lines. Rejects like `retrieve`, and with `too-large` if the lines exceed `maxBytes`.
 *
 * @param range - From line 1. The end may be `Infinity`.
 * @throws TypeError if the range has no whole numbers.
 */
export async function readStoredLines(
  storage: Storage,
  reference: string,
  range: LineRange,
  { maxBytes = 67_108_864, beforeRead, signal }: ReadStoredLinesOptions = {},
): Promise<LinePage> {
  return await readLines(adoptStorage(storage), reference, range, { signal }, async (source, found) => {
    const bytes = found.end - found.start
    if (bytes > maxBytes) {
      const message = `These lines have ${bytes} bytes, and ${maxBytes} are allowed. Read fewer lines at a time.`
      throw new StorageError('too-large', message, { reference })
    }
    beforeRead?.(bytes)
    return await wholePage(source, found, range)
  })
}

async function readLines(
  storage: AdoptedStorage,
  reference: string,
  range: LineRange,
  { signal }: OperationOptions,
  read: (source: ContentSource, found: LineSpan) => Promise<LinePage>,
): Promise<LinePage> {
  assertLineRange(range)
  return await withTextSource(storage, reference, { signal, readsPart: true }, async (source) => {
    const { lines } = await source.lineIndex()
    const found = range.end < range.start ? undefined : await findLineSpan(source, range)
    return found === undefined
      ? { text: '', totalLines: lines, goesOn: range.start <= lines }
      : await read(source, found)
  })
}

async function wholePage(source: ContentSource, found: LineSpan, { end }: LineRange): Promise<LinePage> {
  const text = await textOf(source, found.start, found.end, end <= found.lines)
  return { text, lines: found.range, totalLines: found.lines, goesOn: found.range.end < found.lines }
}

export function assertLineRange({ start, end }: LineRange): void {
  if (!Number.isSafeInteger(start) || start < 1 || !(Number.isSafeInteger(end) || end === Infinity))
    throw new TypeError(`range must have whole numbers, 1 or more, got start ${start} and end ${end}.`)
}

/** Omits the LF after the range. The text's final LF is included if lines after it were requested. */
async function textOf(source: ContentSource, start: number, end: number, isWhole: boolean): Promise<string> {
  const bytes = await source.read(start, end - start)
  const length = isWhole && bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length))
}

/** Largest part of a line that is held, in UTF-16 units. */
const HELD_LENGTH = 262_144
const SHOWN_LENGTH = 10_000

/** A line that contains the search text. */
export interface FoundLine {
  readonly path: string
  /** Line number, from 1. */
  readonly line: number
  /** The line without its LF. A line over 10,000 UTF-16 units is cut around the first match, marked with `…`. */
  readonly text: string
}

/** Find the lines that contain `literal`, in bounded memory. The line after a final LF contains an empty text. */
export async function* findLines(
  path: string,
  blocks: AsyncIterable<Uint8Array>,
  literal: string,
): AsyncGenerator<FoundLine> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let line = 1
  /** The last line so far, without its start if `isCut` is set. */
  let last = ''
  let isCut = false
  let isFound = false
  const find = (text: string, goesOn: boolean): FoundLine | undefined => {
    const at = isFound ? -1 : text.indexOf(literal)
    if (at < 0) return undefined
    isFound = true
    return { path, line, text: detach(windowAround(text, at, { before: isCut, after: goesOn })) }
  }
  for await (const block of blocks) {
    const lines = (last + decoder.decode(block, { stream: true })).split('\n')
    last = lines.pop() ?? ''
    for (const text of lines) {
      const found = find(text, false)
      if (found !== undefined) yield found
      line++
      isCut = isFound = false
    }
    if (last.length <= Math.max(HELD_LENGTH, 4 * literal.length)) continue
    // The end of this part is searched with the next part, because the line may end here.
    const found = find(last.slice(0, -SHOWN_LENGTH), true)
    if (found !== undefined) yield found
    isCut = true
    last = last.slice(-SHOWN_LENGTH - literal.length)
  }
  const found = find(last + decoder.decode(), false)
  if (found !== undefined) yield found
}

function windowAround(line: string, at: number, isCut: { readonly before: boolean; readonly after: boolean }): string {
  const start = line.length <= SHOWN_LENGTH ? 0 : Math.max(0, at - SHOWN_LENGTH / 2)
  const end = Math.min(line.length, start + SHOWN_LENGTH)
  const shown = line.slice(start, end)
  return `${start > 0 || isCut.before ? '… ' : ''}${shown}${end < line.length || isCut.after ? ' …' : ''}`
}
