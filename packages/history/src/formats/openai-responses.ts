import type { HistoryFormat } from '../history-format.ts'
import {
  asRead,
  type HistoryContent,
  type HistoryMedia,
  type HistoryMessage,
  type HistoryPart,
  type HistoryRole,
  type HistoryToolCall,
  isAsRead,
} from '../history-message.ts'
import {
  checkObjects,
  checkRole,
  fieldError,
  type Fields,
  isFields,
  withFields,
  writeMessages,
} from './check-fields.ts'
import { type ContentRules, jsonText, readAs, writeContent } from './content-list.ts'
import { base64Of, mediaFields, urlOf } from './media-source.ts'

/**
 * Create the format for items of OpenAI's Responses API, which requests have in `input` and responses in `output`.
 *
 * Each item is one message. Calls of functions, custom tools, shells and patches are tool calls. Built-in tools,
 * references, screenshots, program outputs and unknown items do not change. Reasoning stays before its item, because
 * the API requires this order.
 *
 * Reading an invalid item throws a `TypeError` that names the item and the field.
 *
 * @example
 * ```ts
 * import { openAIResponses } from '@spillway/history'
 *
 * const format = openAIResponses<{ type: string }>()
 * const items = [{ type: 'function_call', call_id: 'call_1', name: 'read_log', arguments: '{}' }]
 * console.assert(format.read(items)[0]?.parts[0]?.type === 'tool-call')
 * console.assert(format.write(format.read(items))[0] === items[0])
 * ```
 */
export function openAIResponses<Item extends object>(): HistoryFormat<Item[]> {
  return itemsFormat(RESPONSES_ITEMS) as HistoryFormat<Item[]>
}

/**
 * Create the format for items of the OpenAI Agents SDK.
 *
 * The SDK writes items of the Responses API with other field names. See {@link openAIResponses}.
 *
 * @example
 * ```ts
 * import { openAIAgents } from '@spillway/history'
 *
 * const format = openAIAgents<{ type: string }>()
 * const items = [{ type: 'function_call', callId: 'call_1', name: 'read_log', arguments: '{}' }]
 * console.assert(format.read(items)[0]?.parts[0]?.type === 'tool-call')
 * console.assert(format.write(format.read(items))[0] === items[0])
 * ```
 */
export function openAIAgents<Item extends object>(): HistoryFormat<Item[]> {
  return itemsFormat(AGENTS_ITEMS) as HistoryFormat<Item[]>
}

const itemsFormat = (dialect: ItemDialect): HistoryFormat<unknown> => ({
  name: dialect.format,
  read: (items) => readItems(items, dialect),
  write: (messages) =>
    writeMessages(messages, {
      format: dialect.format,
      patch: (native, message, index) => patchItem(native, message, index, dialect),
      makeSystem: (text) => ({ type: 'message', role: 'system', content: text }),
    }),
})

const ROLES = { system: 'system', developer: 'system', user: 'user', assistant: 'assistant' } as const

interface Calls {
  readonly names: Map<string, string>
  /** Call ids by item id. The result of a local shell may have the item's id instead of the call's id. */
  readonly ofItems: Map<string, string>
}

const ANSWERS: ReadonlySet<unknown> = new Set(['mcp_approval_response', 'tool_search_output'])

function readItems(conversation: unknown, dialect: ItemDialect): HistoryMessage[] {
  const calls: Calls = { names: new Map(), ofItems: new Map() }
  return checkObjects(conversation, 'items').map((item, index) => {
    const native = { format: dialect.format, value: item }
    const [role, parts] = readItem(item, index, dialect, calls)
    return asRead({ role, parts, native })
  })
}

function readItem(
  item: Fields,
  index: number,
  dialect: ItemDialect,
  calls: Calls,
): readonly [HistoryRole, readonly HistoryPart[]] {
  const { type } = item
  if (type === 'message' || (type == null && item['role'] !== undefined)) return readMessage(item, index, dialect)
  // An item without a type is a reference, which must have an id.
  if (type == null ? typeof item['id'] !== 'string' : typeof type !== 'string')
    throw fieldError(`items[${index}].type`, 'a string', type)
  if (type === 'reasoning') return ['assistant', [asRead({ type: 'reasoning', text: reasoningText(item) })]]
  const call = readCall(item, dialect, calls)
  if (call !== undefined) return ['assistant', [call]]
  const kind = dialect.results.get(type)
  if (kind !== undefined) return ['tool', [readResult(item, index, kind, dialect, calls)]]
  return [ANSWERS.has(type) ? 'tool' : 'assistant', [asRead({ type: 'opaque', value: item })]]
}

function readMessage(
  item: Fields,
  index: number,
  { format }: ItemDialect,
): readonly [HistoryRole, readonly HistoryPart[]] {
  const role = checkRole(ROLES, item['role'], `items[${index}]`, 'a role of the API')
  const content = readItemContent(item['content'], format)
  if (content === undefined) throw fieldError(`items[${index}].content`, 'a string or an array', item['content'])
  return [role, content as readonly HistoryPart[]]
}

/** Return the texts of a reasoning item: its summary and its full text. Encrypted reasoning has no text. */
function reasoningText(item: Fields): string {
  const texts = ['summary', 'content', 'rawContent'].flatMap((field) =>
    Array.isArray(item[field]) ? (item[field] as unknown[]) : [],
  )
  return texts
    .map((part) => (Object(part) as Fields)['text'])
    .filter((text) => typeof text === 'string')
    .join('\n')
}

function readCall(item: Fields, dialect: ItemDialect, calls: Calls): HistoryPart | undefined {
  const kind = dialect.calls.get(item['type'])
  const id = item[dialect.callId]
  if (kind === undefined || typeof id !== 'string') return undefined
  const { toolName = item['name'] } = kind
  const field = kind.input.find((name) => item[name] != null)
  const input = field === undefined ? undefined : item[field]
  if (typeof toolName !== 'string' || field === undefined || (kind.isText && typeof input !== 'string'))
    return undefined
  calls.names.set(id, toolName)
  if (item['type'] === 'local_shell_call' && typeof item['id'] === 'string') calls.ofItems.set(item['id'], id)
  return asRead<HistoryToolCall>({ type: 'tool-call', id, name: toolName, input, inputIsText: kind.isText })
}

function readResult(
  item: Fields,
  index: number,
  kind: OutputKind,
  { format, callId: idField }: ItemDialect,
  { names, ofItems }: Calls,
): HistoryPart {
  const { output, name, caller } = item
  const own = item[idField] ?? (item['type'] === 'local_shell_call_output' ? item['id'] : undefined)
  // A result without an id cannot be paired with a call.
  if (typeof own !== 'string') return asRead({ type: 'opaque', value: item })
  const callId = names.has(own) ? own : (ofItems.get(own) ?? own)
  const toolName = names.get(callId) ?? (typeof name === 'string' ? name : '')
  // Only a program reads this output, and the output must not change.
  const isForProgram = (Object(caller ?? {}) as Fields)['type'] === 'program'
  const isOpaque = isForProgram || kind === 'screenshot'
  const content = isOpaque ? [readAs<HistoryContent>(format, output)] : readOutput(output, kind, format)
  if (content === undefined) throw fieldError(`items[${index}].output`, 'an output of the API', output)
  const isError = item['type'] === 'apply_patch_call_output' && item['status'] === 'failed'
  return asRead({ type: 'tool-result', callId, toolName, content, ...(isError ? { isError } : {}) })
}

function readOutput(output: unknown, kind: OutputKind, format: string): readonly HistoryContent[] | undefined {
  if (kind === 'shell') return readShellOutput(output, format)
  return kind === 'text' && output != null && typeof output !== 'string' ? undefined : readItemContent(output, format)
}

/** Write a changed item. The order of its other fields does not change. */
function patchItem(native: Fields, message: HistoryMessage, index: number, dialect: ItemDialect): Fields {
  const place = `items[${index}]`
  const [part] = message.parts
  const call = dialect.calls.get(native['type'])
  if (call !== undefined)
    return part?.type === 'tool-call' && !isAsRead(part) ? patchCall(native, part, call, place) : native
  const result = dialect.results.get(native['type'])
  if (result === undefined && native['role'] === undefined) return native
  if (result === undefined) {
    const rules = contentRules(message.role === 'assistant' ? 'output_text' : 'input_text', dialect)
    return withFields(native, { content: writeContent(native['content'], message.parts, '\n\n', place, rules) })
  }
  if (part?.type !== 'tool-result' || isAsRead(part) || result === 'screenshot') return native
  const { output } = native
  if (result === 'shell') return withFields(native, { output: writeShell(output, part.content, dialect.format, place) })
  const textType = isFields(output) && part.content.length === 1 ? 'text' : 'input_text'
  const written = writeContent(output, part.content, '\n', place, contentRules(textType, dialect))
  return withFields(native, { output: written })
}

function patchCall(native: Fields, { input }: HistoryToolCall, kind: CallKind, place: string): Fields {
  const field = kind.input.find((name) => native[name] != null)
  if (field === undefined) return native
  const before = native[field]
  if (before === input) return native
  if (typeof before === 'string')
    return { ...native, [field]: typeof input === 'string' ? input : jsonText(input, place) }
  if (kind.textIn === undefined || !isFields(before)) return native
  // The arguments of these tools have a fixed form. Any other arguments become a text in the field `textIn`.
  if (isFields(input) && Object.keys(before).every((name) => Object.hasOwn(input, name)))
    return { ...native, [field]: input }
  const texts = Object.values(Object(input) as Fields).filter((value) => typeof value === 'string')
  const text = texts.length === 1 ? texts[0] : jsonText(input, place)
  return { ...native, [field]: { ...before, [kind.textIn]: Array.isArray(before[kind.textIn]) ? [text] : text } }
}

const contentRules = (textType: string, dialect: ItemDialect): ContentRules => ({
  format: dialect.format,
  place: ['an item of the user', ''],
  toPart: (text) => ({ type: textType, text }),
  marks: ['prompt_cache_breakpoint', 'promptCacheBreakpoint', 'providerData'],
  withText: (part, text) => {
    const field = itemTextField(part)
    return field && withFields(part, { [field]: text })
  },
  writeMedia: (media) => writeMedia(media, dialect),
})

function writeShell(original: unknown, pieces: readonly HistoryContent[], format: string, place: string): unknown {
  const before: readonly unknown[] = Array.isArray(original) ? original : []
  const last = Object(before.at(-1) ?? {}) as Fields
  const written = pieces.map((piece) => {
    const own = piece.native?.format === format ? piece.native.value : undefined
    if (own !== undefined && (isAsRead(piece) || piece.type !== 'text')) return own
    const text = piece.type === 'text' ? piece.text : jsonText(piece.type === 'json' ? piece.value : piece, place)
    if (isFields(own)) return shellText(own) === text ? own : withFields(own, { stdout: text, stderr: '' })
    return { ...last, stdout: text, stderr: '', outcome: last['outcome'] ?? { type: 'exit', exit_code: 0 } }
  })
  return written.length === before.length && written.every((entry, at) => entry === before[at]) ? original : written
}

function writeMedia(media: HistoryMedia, { format }: ItemDialect): Fields | undefined {
  const url = urlOf(media)
  if (url === undefined || (media.type !== 'image' && media.type !== 'document')) return undefined
  const name = media.name === undefined ? {} : { filename: media.name }
  if (format === 'openai-agents')
    return media.type === 'image' ? { type: 'input_image', image: url } : { type: 'input_file', file: url, ...name }
  if (media.type === 'image') return { type: 'input_image', detail: 'auto', image_url: url }
  if (base64Of(media) === undefined) return { type: 'input_file', file_url: url }
  return { type: 'input_file', file_data: url, filename: media.name ?? 'document' }
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set([
  'input_text',
  'output_text',
  'text',
  'summary_text',
  'reasoning_text',
])
const URL_SCHEME = /^[a-z][a-z0-9+.-]*:/i

function readItemContent(content: unknown, format: string): HistoryContent[] | undefined {
  if (content == null) return []
  if (typeof content === 'string') return [readAs(format, content, { type: 'text', text: content })]
  if (isFields(content)) return [readItemPart(content, format)]
  return Array.isArray(content) ? Array.from(content, (part: unknown) => readItemPart(part, format)) : undefined
}

const readItemPart = (part: unknown, format: string): HistoryContent =>
  readAs(format, part, isFields(part) ? readFields(part) : undefined)

function itemTextField({ type, text, refusal }: Fields): 'text' | 'refusal' | undefined {
  if (type === 'refusal') return typeof refusal === 'string' ? 'refusal' : undefined
  return TEXT_TYPES.has(type) && typeof text === 'string' ? 'text' : undefined
}

function readFields(part: Fields): HistoryContent | undefined {
  const field = itemTextField(part)
  if (field !== undefined) return { type: 'text', text: part[field] as string }
  switch (part['type']) {
    case 'input_image':
    case 'image':
      return readSource(part['image_url'] ?? part['image'], 'image/*')
    case 'input_file':
    case 'file':
      return readSource(part['file_data'] ?? part['file_url'] ?? part['file'], 'application/pdf', part['filename'])
    case 'input_audio':
      return readAudio(Object(part['input_audio'] ?? {}) as Fields)
    case 'audio':
      return readAudio({ data: part['audio'], format: part['format'] })
    default:
      return undefined
  }
}

function readSource(source: unknown, fallback: string, filename?: unknown): HistoryContent | undefined {
  const name = typeof filename === 'string' ? filename : undefined
  if (typeof source === 'string')
    return mediaFields(fallback, URL_SCHEME.test(source.slice(0, 64)) ? { url: source } : { base64: source }, name)
  const { data, url, mediaType, filename: ownName = filename } = Object(source ?? {}) as Fields
  const type = typeof mediaType === 'string' ? mediaType : fallback
  if (data instanceof Uint8Array) return mediaFields(type, { data }, typeof ownName === 'string' ? ownName : undefined)
  return typeof (data ?? url) === 'string' ? readSource(data ?? url, type, ownName) : undefined
}

function readAudio({ data, format }: Fields): HistoryContent | undefined {
  return typeof data === 'string'
    ? mediaFields(typeof format === 'string' ? `audio/${format}` : 'audio/*', { base64: data })
    : undefined
}

function readShellOutput(output: unknown, format: string): HistoryContent[] | undefined {
  if (!Array.isArray(output)) return undefined
  return Array.from(output, (entry: unknown): HistoryContent => {
    const text = isFields(entry) ? shellText(entry) : undefined
    return readAs(format, entry, text === undefined ? undefined : { type: 'text', text })
  })
}

function shellText({ stdout, stderr = '' }: Fields): string | undefined {
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined
  return stdout === '' || stderr === '' ? stdout + stderr : `${stdout.replace(/\n$/, '')}\n${stderr}`
}

interface CallKind {
  readonly toolName?: string | undefined
  readonly input: readonly string[]
  readonly isText: boolean
  /** The field that takes any text, for calls whose other arguments have a fixed form. */
  readonly textIn?: string | undefined
}

type OutputKind = 'content' | 'shell' | 'text' | 'screenshot'

interface ItemDialect {
  readonly format: string
  readonly callId: string
  readonly calls: ReadonlyMap<unknown, CallKind>
  readonly results: ReadonlyMap<unknown, OutputKind>
}

const SHELL: CallKind = { toolName: 'shell', input: ['action'], isText: false, textIn: 'commands' }
const APPLY_PATCH: CallKind = { toolName: 'apply_patch', input: ['operation'], isText: false, textIn: 'diff' }
const COMPUTER: CallKind = { toolName: 'computer', input: ['actions', 'action'], isText: false }
const FUNCTION: CallKind = { input: ['arguments'], isText: true }

const RESPONSES_ITEMS: ItemDialect = {
  format: 'openai-responses',
  callId: 'call_id',
  calls: new Map([
    ['function_call', FUNCTION],
    ['custom_tool_call', { input: ['input'], isText: false }],
    ['local_shell_call', { toolName: 'local_shell', input: ['action'], isText: false, textIn: 'command' }],
    ['shell_call', SHELL],
    ['apply_patch_call', APPLY_PATCH],
    ['computer_call', COMPUTER],
  ]),
  results: new Map([
    ['function_call_output', 'content'],
    ['custom_tool_call_output', 'content'],
    ['local_shell_call_output', 'text'],
    ['shell_call_output', 'shell'],
    ['apply_patch_call_output', 'text'],
    ['computer_call_output', 'screenshot'],
  ]),
}

const AGENTS_ITEMS: ItemDialect = {
  format: 'openai-agents',
  callId: 'callId',
  calls: new Map([
    ['function_call', FUNCTION],
    ['shell_call', SHELL],
    ['apply_patch_call', APPLY_PATCH],
    ['computer_call', COMPUTER],
  ]),
  results: new Map([
    ['function_call_result', 'content'],
    ['shell_call_output', 'shell'],
    ['apply_patch_call_output', 'text'],
    ['computer_call_result', 'screenshot'],
  ]),
}
