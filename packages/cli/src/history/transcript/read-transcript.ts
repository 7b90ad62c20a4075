import {
  aiSdkMessages,
  anthropicMessages,
  geminiContents,
  neutralMessages,
  openAIAgents,
  openAIChat,
  openAIResponses,
  type HistoryFormat,
} from '@spillway/history'
import { isFields, type Fields } from '@spillway/history/format'
import { parseExactJson, decodeExactly } from '@spillway/core/adapter'
import { constants } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { countOf, formatBytes } from '../../output.ts'
import {
  parseJson,
  readingFile,
  transcriptError,
  type Conversation,
  type Transcript,
  type TranscriptFormat,
  type TranscriptLayout,
  type TranscriptMessage,
} from './transcript.ts'
import { FORMAT_NAMES, type FormatName } from '../../commands/options.ts'

/** Size limit of a file, as a share of memory: its text and messages need about three times its size. */
const MAX_SHARE_OF_MEMORY = 1 / 4
const LINE_EXTENSIONS: ReadonlySet<string> = new Set(['.jsonl', '.ndjson'])

/** Read a transcript, detecting its format unless it is given. Throws a {@link CliError} that names the line. */
export async function readTranscript(path: string, given?: FormatName): Promise<Transcript> {
  const { bytes, mtimeMs, mode } = await readBytes(path)
  const text = textOf(path, bytes)
  const hasLines = given === 'claude-code' || areLines(path, text)
  const read = hasLines
    ? readLines(path, text, given === undefined ? undefined : given === 'claude-code')
    : readDocument(path, text)
  const { messages, layout, system } = read
  if (messages.length === 0) throw transcriptError(path, undefined, 'has no messages.')
  const name = given ?? (layout.kind === 'session' ? 'claude-code' : formatOf(read))
  if (name === undefined)
    throw transcriptError(
      path,
      messages[0]?.line,
      `messages of an unknown format. Name the format with --format: ${FORMAT_NAMES.join(', ')}.`,
    )
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return {
    path,
    size: bytes.length,
    mtimeMs,
    mode,
    lines,
    layout,
    messages,
    system,
    notes: read.notes,
    format: TRANSCRIPT_FORMATS[name],
  }
}

const formatOf = ({ layout, messages, system }: ReturnType<typeof readDocument>): FormatName | undefined =>
  detectFormat(
    messages.map(({ value }) => value),
    layout.kind === 'document' ? layout.listKey : undefined,
    system !== undefined,
  )

function readBytes(path: string): Promise<{
  readonly bytes: Buffer
  readonly mtimeMs: number
  readonly mode: number
}> {
  return readingFile(path, async () => {
    const stats = await stat(path)
    if (!stats.isFile()) throw transcriptError(path, undefined, 'is not a file.')
    const maxBytes = Math.min(constants.MAX_STRING_LENGTH, getHeapStatistics().heap_size_limit * MAX_SHARE_OF_MEMORY)
    if (stats.size > maxBytes)
      throw transcriptError(
        path,
        undefined,
        `has ${formatBytes(stats.size)}, and at most ${formatBytes(maxBytes)} can be read.`,
      )
    return { bytes: await readFile(path), mtimeMs: stats.mtimeMs, mode: stats.mode }
  })
}

function textOf(path: string, bytes: Uint8Array): string {
  const text = decodeExactly(bytes)
  if (text === undefined) throw transcriptError(path, undefined, 'the file is not UTF-8 text.')
  return text
}

/** Return whether a text has one JSON value per line. */
function areLines(path: string, text: string): boolean {
  if (LINE_EXTENSIONS.has(extname(path).toLowerCase())) return true
  const start = text.trimStart()
  if (start.startsWith('[')) return false
  if (start !== '' && !start.startsWith('{')) {
    const line = text.slice(0, text.length - start.length).split('\n').length
    throw transcriptError(path, line, 'is not JSON.')
  }
  const [first = '', ...others] = start.split('\n')
  const value = first === '' ? {} : parseJson(first)
  // The first line is not a whole value, so one value spans several lines.
  if (value === undefined) return false
  // A single object is either a message or a document with a list of messages.
  return (
    others.some((other) => other.trim() !== '') ||
    !LIST_KEYS.some((key) => Array.isArray((value as Record<string, unknown>)[key]))
  )
}

const ITEM_TYPES =
  /^(?:function_call|custom_tool_call|local_shell_call|shell_call|apply_patch_call|computer_call|reasoning)/
const AGENT_TYPES: ReadonlySet<unknown> = new Set(['function_call_result', 'computer_call_result'])

/** Detect the format of messages; `undefined` if unknown. Messages with only roles and texts count as OpenAI's. */
export function detectFormat(
  messages: readonly unknown[],
  listKey: string | undefined,
  hasSystem: boolean,
): FormatName | undefined {
  if (listKey === 'contents') return 'gemini'
  let isItems = false
  let isPlain = messages.length > 0
  for (const message of messages) {
    if (!isFields(message)) return undefined
    const format = formatOfMessage(message)
    if (format !== undefined && format !== 'items') return format
    isItems ||= format === 'items'
    isPlain &&= format === undefined && typeof message['role'] === 'string' && 'content' in message
  }
  if (isItems || listKey === 'input') return 'openai-responses'
  if (!isPlain) return undefined
  return hasSystem && listKey === 'messages' ? 'anthropic' : 'openai-chat'
}

/** Returns `items` if both OpenAI item formats are possible. */
function formatOfMessage(message: Fields): FormatName | 'items' | undefined {
  const { role, type, content, parts } = message
  if (Array.isArray(parts)) return formatOfParts(parts, message)
  if ('tool_calls' in message || 'tool_call_id' in message || 'function_call' in message) return 'openai-chat'
  if (role === 'developer' && type === undefined) return 'openai-chat'
  if (AGENT_TYPES.has(type) || (typeof type === 'string' && ITEM_TYPES.test(type) && 'callId' in message))
    return 'openai-agents'
  if (typeof type === 'string' && ITEM_TYPES.test(type) && role === undefined) return 'items'
  if (type === 'message' && typeof role === 'string') return 'items'
  if (!Array.isArray(content)) return undefined
  for (const part of content) {
    const format = isFields(part) ? formatOfPart(part) : undefined
    if (format !== undefined) return format
  }
  return undefined
}

/** Detect the format of message parts. Gemini's parts have no type. Neutral messages have a role, and typed parts. */
function formatOfParts(parts: readonly unknown[], message: Fields): FormatName | undefined {
  if (message['role'] === 'model') return 'gemini'
  const [part] = parts
  if (!isFields(part)) return undefined
  if (typeof part['type'] !== 'string') return 'gemini'
  // UI messages of the AI SDK also have parts, but have an id.
  const isNeutral = Object.keys(message).every((key) => NEUTRAL_KEYS.has(key)) && NEUTRAL_PARTS.test(part['type'])
  return isNeutral ? 'neutral' : undefined
}

const NEUTRAL_KEYS: ReadonlySet<string> = new Set(['role', 'parts', 'native'])

const NEUTRAL_PARTS = /^(?:text|reasoning|json|image|audio|video|document|opaque|tool-call|tool-result)$/

const PART_FORMATS: readonly (readonly [type: RegExp, format: FormatName | 'items'])[] = [
  [/^(?:tool-call|tool-result|file|image)$/, 'ai-sdk'],
  [/^(?:tool_use|tool_result|thinking|redacted_thinking|document)$/, 'anthropic'],
  [/^(?:image_url|input_audio)$/, 'openai-chat'],
  [/^(?:input_text|output_text|input_image|input_file)$/, 'items'],
]

function formatOfPart(part: Fields): FormatName | 'items' | undefined {
  const type = String(part['type'])
  if (type === 'image' && 'source' in part) return 'anthropic'
  if (type === 'file' && 'file' in part) return 'openai-chat'
  return PART_FORMATS.find(([types]) => types.test(type))?.[1]
}

const listFormat = (name: FormatName, title: string, history: unknown): TranscriptFormat => ({
  name,
  title,
  join: ({ messages }) => messages,
  split: (joined) => ({ messages: joined as readonly unknown[], system: undefined }),
  history: history as HistoryFormat<unknown>,
})

const requestFormat = (
  name: FormatName,
  title: string,
  systemKey: 'system' | 'systemInstruction',
  listKey: 'messages' | 'contents',
  history: unknown,
): TranscriptFormat => ({
  name,
  title,
  systemKey,
  join: ({ system, messages }) => ({ ...(system !== undefined && { [systemKey]: system }), [listKey]: messages }),
  split: (joined): Conversation => {
    const { [systemKey]: system, [listKey]: messages } = joined as Readonly<Record<string, unknown>>
    return { system, messages: messages as readonly unknown[] }
  },
  history: history as HistoryFormat<unknown>,
})

const anthropic = (name: FormatName, title: string): TranscriptFormat =>
  requestFormat(name, title, 'system', 'messages', anthropicMessages<object>())

const TRANSCRIPT_FORMATS: Readonly<Record<FormatName, TranscriptFormat>> = {
  'openai-chat': listFormat('openai-chat', 'OpenAI chat messages', openAIChat<object>()),
  'openai-responses': listFormat('openai-responses', 'OpenAI Responses items', openAIResponses<object>()),
  'openai-agents': listFormat('openai-agents', 'items of the OpenAI Agents SDK', openAIAgents<object>()),
  anthropic: anthropic('anthropic', 'Anthropic messages'),
  'ai-sdk': listFormat('ai-sdk', 'model messages of the AI SDK', aiSdkMessages<object>()),
  gemini: requestFormat('gemini', 'Gemini contents', 'systemInstruction', 'contents', geminiContents<object>()),
  'claude-code': anthropic('claude-code', 'a session of Claude Code'),
  neutral: listFormat('neutral', "messages in Spillway's neutral form", neutralMessages()),
}

interface ReadMessages {
  readonly layout: TranscriptLayout
  readonly messages: readonly TranscriptMessage[]
  readonly system: unknown
  readonly notes: readonly string[]
}

/** Keys of message lists in requests, responses and logs, in the order in which they are tried. */
const LIST_KEYS = ['messages', 'contents', 'input', 'items', 'history', 'traj', 'trajectory'] as const
const SYSTEM_KEYS: Readonly<Record<string, readonly string[]>> = {
  messages: ['system'],
  contents: ['systemInstruction', 'system_instruction'],
}

function readDocument(path: string, text: string): ReadMessages {
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
    throw transcriptError(path, line === undefined ? undefined : Number(line), 'the file is not JSON.')
  }
}

interface SessionMessage extends TranscriptMessage {
  readonly isSidechain: boolean
}

/**
 * Read one JSON value per line: messages, or a session of Claude Code. From a session, only messages that the model
 * still sees are read.
 *
 * @param isSession - If absent, the first line with a message decides whether it is a session.
 */
function readLines(path: string, text: string, isSession?: boolean): ReadMessages {
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
    // The file is a session, so earlier lines that looked like messages were not messages.
    if (isOne === true) messages.length = 0
  }
  if (isOne !== true) return { layout: { kind: 'lines', texts }, messages, system: undefined, notes: [] }
  const main = session.filter(({ isSidechain }) => !isSidechain)
  const notes: string[] = []
  if (before > 0)
    notes.push(`Unchanged: ${countOf(before, 'message')} before the last compaction, because no model sees them.`)
  const others = main.length === 0 ? 0 : session.length - main.length
  if (others > 0) notes.push(`Unchanged: ${countOf(others, 'message')} of sub-agents.`)
  const seen = main.length === 0 ? session : main
  return { layout: { kind: 'session', texts }, messages: seen, system: undefined, notes }
}

function parseLine(path: string, text: string, line: number): Fields {
  const value = parseJson(text.trim())
  if (value === undefined) throw transcriptError(path, line, 'the line is not JSON. Each line must have one value.')
  if (!isFields(value)) throw transcriptError(path, line, 'the line is not a JSON object, so it is not a message.')
  if (Array.isArray(value['messages']) && value['role'] === undefined)
    throw transcriptError(path, line, 'the line has a whole conversation. Put it into a separate file.')
  return value
}

const isSessionLine = (value: Fields): boolean =>
  (value['type'] === 'user' || value['type'] === 'assistant') &&
  isFields(value['message']) &&
  value['message']['role'] !== undefined

const isMessageLine = (value: Fields): boolean => value['role'] !== undefined || 'call_id' in value || 'callId' in value

const isCompaction = (value: Fields): boolean => value['type'] === 'system' && value['subtype'] === 'compact_boundary'
