import { parseExactJson } from '@spillway/core/adapter'
import { parseJson, transcriptError, type TranscriptLayout, type TranscriptMessage } from './transcript.ts'

type Fields = Readonly<Record<string, unknown>>

interface ReadMessages {
  readonly layout: TranscriptLayout
  readonly messages: readonly TranscriptMessage[]
  readonly system: unknown
  readonly notes: readonly string[]
}

/** Keys of message lists in requests, responses and logs, the likeliest first. */
export const LIST_KEYS = ['messages', 'contents', 'input', 'items', 'history', 'traj', 'trajectory'] as const
const SYSTEM_KEYS: Readonly<Record<string, readonly string[]>> = {
  messages: ['system'],
  contents: ['systemInstruction', 'system_instruction'],
}

export function readDocument(path: string, text: string): ReadMessages {
  const value = parseDocument(path, text)
  const root = isFields(value) ? value : undefined
  const listKey = root && LIST_KEYS.find((key) => Array.isArray(root[key]))
  const list = root === undefined ? value : root[listKey ?? '']
  if (!Array.isArray(list))
    throw transcriptError(path, undefined, `the document has no list of messages under ${LIST_KEYS.join(', ')}.`)
  const systemKeys = SYSTEM_KEYS[listKey ?? ''] ?? []
  const systemKey = systemKeys.findLast((key) => root?.[key] !== undefined) ?? systemKeys[0]
  return {
    layout: {
      kind: 'document',
      root,
      listKey,
      systemKey,
      indent: /^\s*[[{]\r?\n([ \t]*)/.exec(text)?.[1] ?? '',
      end: text.endsWith('\n') ? '\n' : '',
    },
    messages: list.map((message: unknown) => ({ value: message, line: undefined })),
    system: systemKey === undefined ? undefined : (root?.[systemKey] ?? undefined),
    notes: [],
  }
}

function parseDocument(path: string, text: string): unknown {
  try {
    return parseExactJson(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const [, line] = /\(line (\d+)/.exec(error.message) ?? []
    throw transcriptError(path, line === undefined ? undefined : Number(line), 'the file is no JSON.')
  }
}

interface SessionMessage extends TranscriptMessage {
  readonly isSidechain: boolean
}

/**
 * Read one JSON value per line: messages, or a session of Claude Code with the messages that its model sees.
 *
 * @param isSession - If absent, the first line with a message decides.
 */
export function readLines(path: string, text: string, isSession?: boolean): ReadMessages {
  const texts = text.split('\n')
  const messages: TranscriptMessage[] = []
  const session: SessionMessage[] = []
  let isOne = isSession
  let before = 0
  for (const [index, lineText] of texts.entries()) {
    if (lineText.trim() === '') continue
    const line = index + 1
    const value = parseLine(path, lineText, line)
    isOne ??= isSessionLine(value) ? true : isMessageLine(value) ? false : undefined
    if (isOne !== true) messages.push({ value, line })
    if (isOne === false) continue
    if (isCompaction(value)) before += session.splice(0).filter(({ isSidechain }) => !isSidechain).length
    if (isSessionLine(value))
      session.push({ value: value['message'], line, isSidechain: value['isSidechain'] === true })
    // Earlier lines were not messages.
    if (isOne === true) messages.length = 0
  }
  if (isOne !== true) return { layout: { kind: 'lines', texts }, messages, system: undefined, notes: [] }
  const main = session.filter(({ isSidechain }) => !isSidechain)
  const notes: string[] = []
  if (before > 0) notes.push(`${before} messages before its last compaction stay as they are: no model sees them.`)
  const others = main.length === 0 ? 0 : session.length - main.length
  if (others > 0) notes.push(`${others} messages of sub-agents stay as they are.`)
  const seen = main.length === 0 ? session : main
  return { layout: { kind: 'session', texts }, messages: seen, system: undefined, notes }
}

function parseLine(path: string, text: string, line: number): Fields {
  const value = parseJson(text.trim())
  if (value === undefined) throw transcriptError(path, line, 'the line is no JSON. Each line must have one value.')
  if (!isFields(value)) throw transcriptError(path, line, 'the line has no object: a message is one.')
  if (Array.isArray(value['messages']) && value['role'] === undefined)
    throw transcriptError(path, line, 'the line has a whole conversation. Put it into a file of its own.')
  return value
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSessionLine = (value: Fields): boolean =>
  (value['type'] === 'user' || value['type'] === 'assistant') &&
  isFields(value['message']) &&
  value['message']['role'] !== undefined

const isMessageLine = (value: Fields): boolean => value['role'] !== undefined || 'call_id' in value || 'callId' in value

const isCompaction = (value: Fields): boolean => value['type'] === 'system' && value['subtype'] === 'compact_boundary'
