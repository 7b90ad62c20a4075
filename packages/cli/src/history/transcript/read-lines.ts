import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { fileLines, type FileLine } from './file-lines.ts'
import { membersAt, skipBlanks, type Span } from './json-spans.ts'
import { AsciiGuess, jsonStyleOf, type JsonStyle } from './json-style.ts'
import type { TranscriptLayout, TranscriptMessage } from './transcript.ts'
import { parseJson, transcriptError } from './transcript-error.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a file of lines has. */
export interface ReadLines {
  readonly layout: Extract<TranscriptLayout, { kind: 'lines' | 'session' }>
  readonly style: JsonStyle
  readonly messages: readonly TranscriptMessage[]
  readonly lines: number
  readonly notes: readonly string[]
}

/** A message of a session, and to which of its conversations it belongs. */
interface SessionMessage extends TranscriptMessage {
  readonly isSidechain: boolean
}

/**
 * Read a file that has one JSON value on each line: messages, or a session of Claude Code, whose messages stand inside of
 * some of its lines.
 *
 * Of a session those are taken that its model sees: behind the last compaction, and none of sub-agents, unless the file is
 * that of one.
 *
 * @param isSession - Whether it is one; without that it is told by the first line that has a message.
 */
export async function readLines(path: string, handle: FileHandle, isSession?: boolean): Promise<ReadLines> {
  const messages: TranscriptMessage[] = []
  const session: SessionMessage[] = []
  let isOne = isSession
  let before = 0
  let eol: string | undefined
  let endsWithEol = true
  let lines = 0
  const ascii = new AsciiGuess()
  for await (const line of fileLines(handle)) {
    eol ??= line.eol
    endsWithEol = line.eol !== ''
    lines = line.line
    ascii.add(line.bytes)
    const start = skipBlanks(line.bytes, 0)
    if (start === line.bytes.length) continue
    const value = parseLine(path, line)
    isOne ??= isSessionLine(value) ? true : isMessageLine(value) ? false : undefined
    if (isOne !== true) messages.push({ value, start: line.start + start, end: trimmedEnd(line), line: line.line })
    if (isOne === false) continue
    if (isCompaction(value)) before += session.splice(0).filter(({ isSidechain }) => !isSidechain).length
    const found = sessionMessage(value, line, start)
    if (found !== undefined) session.push(found)
    // Lines before the first message were no messages of their own.
    if (isOne === true) messages.length = 0
  }
  const style = ascii.complete(await styleOf(handle, isOne === true ? session : messages))
  if (isOne !== true)
    return { layout: { kind: 'lines', eol: eol || '\n', endsWithEol }, style, messages, lines, notes: [] }
  const main = session.filter(({ isSidechain }) => !isSidechain)
  const notes: string[] = []
  if (before > 0) notes.push(`${before} messages before its last compaction stay as they are: no model sees them.`)
  const others = main.length === 0 ? 0 : session.length - main.length
  if (others > 0) notes.push(`${others} messages of sub-agents stay as they are.`)
  return { layout: { kind: 'session' }, style, messages: main.length === 0 ? session : main, lines, notes }
}

function parseLine(path: string, { bytes, line }: FileLine): unknown {
  if (!isUtf8(bytes)) throw transcriptError(path, line, 'the line is no UTF-8.')
  const value = parseJson(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
  if (value === undefined) throw transcriptError(path, line, 'the line is no JSON. Each line must have one value.')
  if (!isFields(value)) throw transcriptError(path, line, 'the line has no object: a message is one.')
  if (Array.isArray(value['messages']) && value['role'] === undefined)
    throw transcriptError(path, line, 'the line has a whole conversation. Put it into a file of its own.')
  return value
}

function trimmedEnd({ bytes, end }: FileLine): number {
  let blanks = 0
  while (/\s/.test(String.fromCharCode(bytes.at(-1 - blanks) ?? 0))) blanks += 1
  return end - blanks
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSessionLine = (value: unknown): boolean =>
  isFields(value) &&
  (value['type'] === 'user' || value['type'] === 'assistant') &&
  isFields(value['message']) &&
  value['message']['role'] !== undefined

const isMessageLine = (value: unknown): boolean =>
  isFields(value) && (value['role'] !== undefined || 'call_id' in value || 'callId' in value)

const isCompaction = (value: unknown): boolean =>
  isFields(value) && value['type'] === 'system' && value['subtype'] === 'compact_boundary'

function sessionMessage(value: unknown, line: FileLine, start: number): SessionMessage | undefined {
  if (!isSessionLine(value)) return undefined
  const { message, isSidechain } = value as Fields
  // Of two members with one key, the last counts.
  const span = membersAt(line.bytes, start).members.findLast(({ key }) => key === 'message')!.value
  return {
    value: message,
    start: line.start + span.start,
    end: line.start + span.end,
    line: line.line,
    isSidechain: isSidechain === true,
  }
}

async function styleOf(handle: FileHandle, [first]: readonly Span[]): Promise<JsonStyle> {
  if (first === undefined) return jsonStyleOf('{}')
  const head = Buffer.alloc(Math.min(4_096, first.end - first.start))
  await handle.read(head, 0, head.length, first.start)
  return jsonStyleOf(head.toString())
}
