import { isUtf8 } from 'node:buffer'
import { itemsAt, JsonTextError, membersAt, skipBlanks, type JsonMember, type Span } from './json-spans.ts'
import { AsciiGuess, jsonStyleOf, type JsonStyle } from './json-style.ts'
import type { SystemPlace, TranscriptLayout, TranscriptMessage } from './transcript.ts'
import { parseJson, transcriptError } from './transcript-error.ts'

/** What a JSON document has. */
export interface ReadDocument {
  readonly layout: Extract<TranscriptLayout, { kind: 'document' }>
  readonly style: JsonStyle
  readonly messages: readonly TranscriptMessage[]
  readonly lines: number
  /** The key of the list; undefined where the document is the list. */
  readonly listKey: string | undefined
}

/** Keys under which requests, responses and logs of agents have their messages, the likeliest first. */
export const LIST_KEYS = ['messages', 'contents', 'input', 'items', 'history', 'traj', 'trajectory'] as const
const SYSTEM_KEYS: Readonly<Record<string, readonly string[]>> = {
  messages: ['system'],
  contents: ['systemInstruction', 'system_instruction'],
}
const OPEN_BRACKET = 0x5b
const LINE_FEED = 0x0a

/** Read a document that is a list of messages, or an object that has one. */
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
    // Of two members with one key, the last counts.
    const member = members.findLast(({ key }) => key === name)
    if (member !== undefined && bytes[member.value.start] === OPEN_BRACKET) return member
  }
  throw transcriptError(path, undefined, `the document has no list of messages under ${LIST_KEYS.join(', ')}.`)
}

/** Check what stands around the messages, which are checked one by one. */
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

/** Return what counts lines up to an offset; offsets are asked for in about their order. */
function lineCounter(bytes: Uint8Array): (offset: number) => number {
  let [known, line] = [0, 1]
  return (offset) => {
    if (offset < known) [known, line] = [0, 1]
    for (let at = bytes.indexOf(LINE_FEED, known); at >= 0 && at < offset; at = bytes.indexOf(LINE_FEED, at + 1))
      line += 1
    known = Math.max(known, offset)
    return line
  }
}
