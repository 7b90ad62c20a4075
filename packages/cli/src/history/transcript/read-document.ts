import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import {
  AsciiGuess,
  itemsAt,
  jsonStyleOf,
  JsonTextError,
  membersAt,
  skipBlanks,
  type JsonMember,
  type JsonStyle,
  type Span,
} from './json-spans.ts'
import {
  parseJson,
  transcriptError,
  type SystemPlace,
  type TranscriptLayout,
  type TranscriptMessage,
} from './transcript.ts'

interface ReadDocument {
  readonly layout: Extract<TranscriptLayout, { kind: 'document' }>
  readonly style: JsonStyle
  readonly messages: readonly TranscriptMessage[]
  readonly lines: number
  readonly listKey: string | undefined
}

/** Keys of message lists in requests, responses and logs, the likeliest first. */
export const LIST_KEYS = ['messages', 'contents', 'input', 'items', 'history', 'traj', 'trajectory'] as const
const SYSTEM_KEYS: Readonly<Record<string, readonly string[]>> = {
  messages: ['system'],
  contents: ['systemInstruction', 'system_instruction'],
}
const OPEN_BRACKET = 0x5b
const LINE_FEED = 0x0a

export function readDocument(path: string, bytes: Uint8Array): ReadDocument {
  const lineAt = lineCounter(bytes)
  try {
    return read(path, bytes, lineAt)
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    throw transcriptError(path, lineAt(error.offset), 'the file is no JSON here.', { cause: error })
  }
}

function read(path: string, bytes: Uint8Array, lineAt: (offset: number) => number): ReadDocument {
  const start = skipBlanks(bytes, bytes[0] === 0xef ? 3 : 0)
  const isList = bytes[start] === OPEN_BRACKET
  const whole = isList ? undefined : membersAt(bytes, start)
  const list = isList ? undefined : listMember(path, whole!.members, bytes)
  const open = isList ? start : list!.value.start
  const { items, end } = itemsAt(bytes, open)
  const textOf = (span: Span): string =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(span.start, span.end))
  const messages = items.map((item): TranscriptMessage => {
    const line = lineAt(item.start)
    if (!isUtf8(bytes.subarray(item.start, item.end))) throw transcriptError(path, line, 'the message is no UTF-8.')
    const value = parseJson(textOf(item))
    if (value === undefined) throw transcriptError(path, line, 'the message that begins here is no JSON.')
    return { value, ...item, line }
  })
  checkRest(path, bytes, open, end, textOf)
  const inside = { start: open + 1, end: end - 1 }
  const [first, second] = items
  const lead = textOf({ start: inside.start, end: first?.start ?? inside.end })
  const separator = first && second ? textOf({ start: first.end, end: second.start }) : `,${lead}`
  const trail = textOf({ start: items.at(-1)?.end ?? inside.end, end: inside.end })
  const margin = /[\r\n]([ \t]*)$/.exec(lead)?.[1] ?? ''
  const head =
    first === undefined ? '{}' : textOf({ start: first.start, end: Math.min(first.end, first.start + 4_096) })
  const ascii = new AsciiGuess()
  ascii.add(bytes.subarray(bytes[0] === 0xef ? 3 : 0))
  const system = whole && list ? systemPlace(whole, list, textOf, lineAt) : undefined
  return {
    layout: { kind: 'document', inside, lead, separator, trail, system },
    style: ascii.complete(jsonStyleOf(head, margin)),
    messages,
    lines: lineAt(bytes.length),
    listKey: list?.key,
  }
}

function listMember(path: string, members: readonly JsonMember[], bytes: Uint8Array): JsonMember {
  for (const name of LIST_KEYS) {
    // The last of equal keys wins.
    const member = members.findLast(({ key }) => key === name)
    if (member !== undefined && bytes[member.value.start] === OPEN_BRACKET) return member
  }
  throw transcriptError(path, undefined, `the document has no list of messages under ${LIST_KEYS.join(', ')}.`)
}

function checkRest(path: string, bytes: Uint8Array, open: number, end: number, textOf: (span: Span) => string): void {
  const start = bytes[0] === 0xef ? 3 : 0
  const rest = `${textOf({ start, end: open })}[]${textOf({ start: end, end: bytes.length })}`
  if (parseJson(rest) === undefined)
    throw transcriptError(path, undefined, 'what stands around the messages is no JSON.')
}

function systemPlace(
  { members }: { readonly members: readonly JsonMember[] },
  list: JsonMember,
  textOf: (span: Span) => string,
  lineAt: (offset: number) => number,
): SystemPlace | undefined {
  const [key, ...others] = SYSTEM_KEYS[list.key] ?? []
  if (key === undefined) return undefined
  const at = members.findLastIndex((member) => member.key === key || others.includes(member.key))
  const member = members[at]
  if (member === undefined) {
    return { key, line: lineAt(list.start), value: undefined, span: undefined, member: undefined, insertAt: list.start }
  }
  const next = members[at + 1]
  const whole = next
    ? { start: member.start, end: next.start }
    : { start: members[at - 1]?.value.end ?? member.start, end: member.value.end }
  const value = parseJson(textOf(member.value))
  return {
    key: member.key,
    line: lineAt(member.start),
    value: value ?? undefined,
    span: member.value,
    member: whole,
    insertAt: list.start,
  }
}

/** Offsets must come in about ascending order. */
function lineCounter(bytes: Uint8Array): (offset: number) => number {
  let [counted, line] = [0, 1]
  return (offset) => {
    if (offset < counted) [counted, line] = [0, 1]
    for (let at = bytes.indexOf(LINE_FEED, counted); at >= 0 && at < offset; at = bytes.indexOf(LINE_FEED, at + 1))
      line += 1
    counted = Math.max(counted, offset)
    return line
  }
}

type Fields = Readonly<Record<string, unknown>>

interface ReadLines {
  readonly layout: Extract<TranscriptLayout, { kind: 'lines' | 'session' }>
  readonly style: JsonStyle
  readonly messages: readonly TranscriptMessage[]
  readonly lines: number
  readonly notes: readonly string[]
}

interface SessionMessage extends TranscriptMessage {
  readonly isSidechain: boolean
}

/**
 * Read one JSON value per line: messages, or a session of Claude Code with the messages that its model sees.
 *
 * @param isSession - If absent, the first line with a message decides.
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
    // Earlier lines were not messages.
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
  // The last of equal keys wins.
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

const CHUNK_BYTES = 1_048_576

const CARRIAGE_RETURN = 0x0d
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const

interface FileLine extends Span {
  readonly bytes: Uint8Array
  readonly line: number
  /** Empty at the end of the file. */
  readonly eol: string
}

/** Read a file line by line, without byte order mark. */
export async function* fileLines(handle: FileHandle): AsyncGenerator<FileLine> {
  const parts: Uint8Array[] = []
  let start = 0
  let line = 1
  const finish = (last: Uint8Array, end: number, hasEnd: boolean): FileLine => {
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last])
    parts.length = 0
    const skipped = line === 1 && BYTE_ORDER_MARK.every((byte, index) => whole[index] === byte) ? 3 : 0
    const hasReturn = hasEnd && whole.at(-1) === CARRIAGE_RETURN
    const bytes = whole.subarray(skipped, whole.length - (hasReturn ? 1 : 0))
    const eol = hasEnd ? (hasReturn ? '\r\n' : '\n') : ''
    return { bytes, start: start + skipped, end: end - (hasReturn ? 1 : 0), line, eol }
  }
  let offset = 0
  for (;;) {
    // A line may be a view of the chunk, which cannot be reused.
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, offset)
    if (bytesRead === 0) break
    let from = 0
    for (let at = chunk.indexOf(LINE_FEED); at >= 0 && at < bytesRead; at = chunk.indexOf(LINE_FEED, from)) {
      yield finish(chunk.subarray(from, at), offset + at, true)
      from = at + 1
      start = offset + from
      line += 1
    }
    if (from < bytesRead) parts.push(chunk.subarray(from, bytesRead))
    offset += bytesRead
  }
  if (parts.length > 0) yield finish(new Uint8Array(), offset, false)
}
