import type { HistoryFormat } from '../history-format.ts'
import {
  asRead,
  isAsRead,
  type HistoryContent,
  type HistoryMedia,
  type HistoryMessage,
  type HistoryPart,
  type HistoryToolCall,
} from '../history-message.ts'
import {
  checkObjects,
  checkRole,
  checkString,
  fieldError,
  isFields,
  nativeOf,
  otherFormat,
  withFields,
  writeMessages,
  type Fields,
} from './check-fields.ts'
import { jsonText, writeContent, type ContentRules } from './content-list.ts'
import { base64Of, mediaFields, urlOf } from './media-source.ts'

/**
 * Create the format for OpenAI's Chat Completions API and compatible APIs.
 *
 * `system` and `developer` messages are read with the role `system`. Arguments are kept as the JSON text that the model
 * wrote. Calls and results of the former functions, in `function_call` and messages of `function`, do not change.
 *
 * Reading an invalid message throws a `TypeError` that names the message and the field. Unknown parts do not change.
 *
 * @example
 * ```ts
 * import { openAIChat } from '@spillway/history'
 *
 * const format = openAIChat<{ role: string; content: string }>()
 * const messages = [{ role: 'user', content: 'Why did the build fail?' }]
 * console.assert(format.read(messages)[0]?.parts[0]?.type === 'text')
 * console.assert(format.write(format.read(messages))[0] === messages[0])
 * ```
 */
export function openAIChat<Message extends object>(): HistoryFormat<Message[]> {
  return {
    name: OPENAI_CHAT,
    read: readChatMessages,
    write: (messages) =>
      writeMessages(messages, {
        format: OPENAI_CHAT,
        patch: patchChatMessage,
        makeSystem: (text) => ({ role: 'system', content: text }),
      }) as Message[],
  }
}

const OPENAI_CHAT = 'openai-chat'

/** Create the native value of a part: its field, for example `{ content: 'a text' }` or `{ tool_calls: call }`. */
const slot = (field: string, value: unknown): { readonly format: string; readonly value: Fields } => ({
  format: OPENAI_CHAT,
  value: { [field]: value },
})

const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const

const ROLES = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
} as const

function readChatMessages(conversation: unknown): HistoryMessage[] {
  const messages = checkObjects(conversation)
  /** Tool names by the ids of calls. */
  const names = new Map<string, string>()
  return messages.map((message, index) => {
    const role = checkRole(ROLES, message['role'], `messages[${index}]`, 'a role of the API')
    const parts = message['role'] === 'tool' ? [readResult(message, index, names)] : readParts(message, index, names)
    return asRead({ role, parts, native: { format: OPENAI_CHAT, value: message } })
  })
}

function readParts(message: Fields, index: number, names: Map<string, string>): HistoryPart[] {
  const parts: HistoryPart[] = []
  for (const field of REASONING_FIELDS) {
    const text = message[field]
    if (typeof text === 'string' && text !== '')
      parts.push(asRead({ type: 'reasoning', text, native: slot(field, text) }))
  }
  for (const part of readChatContent(message['content'], index)) parts.push(part as HistoryPart)
  if (message['role'] !== 'assistant') return parts
  const { refusal, audio, function_call: functionCall, tool_calls: toolCalls } = message
  if (typeof refusal === 'string') parts.push(asRead({ type: 'text', text: refusal, native: slot('refusal', refusal) }))
  if (audio != null) parts.push(asRead({ type: 'opaque', value: audio, native: slot('audio', audio) }))
  if (toolCalls != null) {
    if (!Array.isArray(toolCalls)) throw fieldError(`messages[${index}].tool_calls`, 'an array', toolCalls)
    for (const call of toolCalls as readonly unknown[]) parts.push(readCall(call, names))
  }
  if (functionCall != null)
    parts.push(asRead({ type: 'opaque', value: functionCall, native: slot('function_call', functionCall) }))
  return parts
}

function readCall(call: unknown, names: Map<string, string>): HistoryPart {
  const native = slot('tool_calls', call)
  const { id, type, function: called, custom } = isFields(call) ? call : ({} as Fields)
  const isText = type !== 'custom'
  const { name, arguments: text, input = text } = Object((isText ? called : custom) ?? {}) as Fields
  if (typeof id !== 'string' || typeof name !== 'string' || typeof input !== 'string')
    return asRead({ type: 'opaque', value: call, native })
  names.set(id, name)
  return asRead<HistoryToolCall>({ type: 'tool-call', id, name, input, inputIsText: isText, native })
}

function readResult(message: Fields, index: number, names: ReadonlyMap<string, string>): HistoryPart {
  const content = readChatContent(message['content'], index)
  const callId = checkString(message['tool_call_id'], `messages[${index}].tool_call_id`)
  const name = names.get(callId) ?? message['name']
  return asRead({ type: 'tool-result', callId, toolName: typeof name === 'string' ? name : '', content })
}

function readChatContent(content: unknown, index: number): HistoryContent[] {
  if (content == null) return []
  if (typeof content === 'string') return [asRead({ type: 'text', text: content, native: slot('content', content) })]
  if (!Array.isArray(content)) throw fieldError(`messages[${index}].content`, 'a string, an array or null', content)
  return Array.from(content, (part: unknown) => asRead({ ...readPart(part), native: slot('content', part) }))
}

function chatTextField({ type, text, refusal }: Fields): 'text' | 'refusal' | undefined {
  if (type === 'text') return typeof text === 'string' ? 'text' : undefined
  return type === 'refusal' && typeof refusal === 'string' ? 'refusal' : undefined
}

function readPart(part: unknown): HistoryContent {
  if (!isFields(part)) return { type: 'opaque', value: part }
  const textField = chatTextField(part)
  if (textField !== undefined) return { type: 'text', text: part[textField] as string }
  return readMedia(part) ?? { type: 'opaque', value: part }
}

function readMedia(part: Fields): HistoryContent | undefined {
  const { url } = Object(part['image_url'] ?? {}) as Fields
  if (part['type'] === 'image_url') return typeof url === 'string' ? mediaFields('image/*', { url }) : undefined
  const { data, format } = Object(part['input_audio'] ?? {}) as Fields
  if (part['type'] === 'input_audio')
    return typeof data === 'string' ? mediaFields(`audio/${String(format)}`, { base64: data }) : undefined
  const { file_data: file, filename } = Object(part['file'] ?? {}) as Fields
  if (part['type'] !== 'file' || typeof file !== 'string') return undefined
  const source = /^data:/i.test(file) ? { url: file } : { base64: file }
  return mediaFields('application/pdf', source, typeof filename === 'string' ? filename : undefined)
}

const OWN_FIELDS = ['reasoning_content', 'reasoning', 'refusal', 'audio', 'function_call'] as const

function patchChatMessage(native: Fields, message: HistoryMessage, index: number): Fields {
  const place = `messages[${index}]`
  const [result] = message.parts
  if (message.role === 'tool' && result?.type === 'tool-result') {
    return withFields(native, { content: writeContent(native['content'], result.content, '\n', place, CONTENT) })
  }
  const content: HistoryPart[] = []
  const calls: unknown[] = []
  const fields: Record<string, unknown> = {}
  for (const [at, part] of message.parts.entries()) {
    const own = nativeOf(OPENAI_CHAT, part)
    const field = own === undefined ? undefined : OWN_FIELDS.find((name) => Object.hasOwn(own, name))
    if (own !== undefined && field !== undefined) fields[field] = part.type === 'text' ? part.text : own[field]
    else if (part.type === 'tool-call') calls.push(patchCall(own, part, `${place}.parts[${at}]`))
    else if (own !== undefined && Object.hasOwn(own, 'tool_calls')) calls.push(own['tool_calls'])
    else if (part.type !== 'reasoning' && part.type !== 'tool-result') content.push(part)
  }
  // If a part was removed, its field is removed too.
  for (const field of OWN_FIELDS) if (isPartField(native, field) && !(field in fields)) fields[field] = null
  fields['content'] = writeContent(native['content'], content, '\n\n', place, CONTENT)
  const before = native['tool_calls']
  const had: readonly unknown[] = Array.isArray(before) ? before : []
  if (had.length !== calls.length || calls.some((call, at) => call !== had[at])) {
    fields['tool_calls'] = calls.length === 0 ? undefined : calls
  }
  return withFields(native, fields)
}

function isPartField(native: Fields, field: (typeof OWN_FIELDS)[number]): boolean {
  const value = native[field]
  if (field === 'audio' || field === 'function_call') return native['role'] === 'assistant' && value != null
  if (field === 'refusal') return native['role'] === 'assistant' && typeof value === 'string'
  return typeof value === 'string' && value !== ''
}

function patchCall(own: Fields | undefined, part: HistoryToolCall, place: string): unknown {
  const call = own?.['tool_calls']
  if (!isFields(call)) throw otherFormat(`${place}: this tool-call`, OPENAI_CHAT)
  if (isAsRead(part)) return call
  const [field, name] = call['type'] === 'custom' ? ['custom', 'input'] : ['function', 'arguments']
  const input = typeof part.input === 'string' ? part.input : jsonText(part.input, place)
  return withFields(call, { [field]: withFields(call[field] as Fields, { [name]: input }) })
}

const CONTENT: ContentRules = {
  format: OPENAI_CHAT,
  place: ['a message of the user', ' in Chat Completions'],
  toPart: (text) => ({ type: 'text', text }),
  marks: ['cache_control', 'prompt_cache_breakpoint'],
  blockOf: (native) => (isFields(native) ? native['content'] : undefined),
  withText: (part, text) => {
    const field = chatTextField(part)
    return field && withFields(part, { [field]: text })
  },
  writeMedia,
}

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
])

function writeMedia(media: HistoryMedia): Fields | undefined {
  const url = urlOf(media)
  const base64 = base64Of(media)
  const format = AUDIO_FORMATS.get(media.mediaType)
  if (media.type === 'image') return url === undefined ? undefined : { type: 'image_url', image_url: { url } }
  if (base64 === undefined) return undefined
  if (media.type === 'audio' && format !== undefined)
    return { type: 'input_audio', input_audio: { data: base64, format } }
  if (media.type !== 'document') return undefined
  return { type: 'file', file: { filename: media.name ?? 'document', file_data: url } }
}
