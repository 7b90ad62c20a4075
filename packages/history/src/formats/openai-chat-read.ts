import { asRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryPart, HistoryRole, HistoryToolCall } from '../history-message.ts'
import { checkMessage, checkMessages, checkString, fieldError, isFields, type Fields } from './check-fields.ts'
import { mediaFields } from './media-source.ts'

/** The name of the format of OpenAI's Chat Completions API. */
export const OPENAI_CHAT = 'openai-chat'

/**
 * What parts keep of their message: the field that they stand in, with just them, such as `{ content: 'a text' }`,
 * `{ content: { type: 'text', text: 'a text' } }` or `{ tool_calls: { id: 'call_1', … } }`.
 */
const slot = (field: string, value: unknown): { readonly format: string; readonly value: Fields } => ({
  format: OPENAI_CHAT,
  value: { [field]: value },
})

/** Fields in which providers put what a model thought. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const

const ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
])

/** What is known of the calls before a message. */
interface Calls {
  readonly names: Map<string, string>
  /** Ids of calls of the old form that have no result yet, by the name of the function. */
  readonly functions: Map<string, string[]>
  /** Make an id that no call has. */
  readonly makeId: (index: number) => string
}

/** Read the messages of a conversation. */
export function readChatMessages(conversation: unknown): HistoryMessage[] {
  const messages = checkMessages(conversation)
  const calls: Calls = { names: new Map(), functions: new Map(), makeId: idMaker(messages) }
  return messages.map((value, index) => {
    const message = checkMessage(value, index)
    const role = ROLES.get(message['role'])
    if (role === undefined) throw fieldError(`messages[${index}].role`, 'a role of the API', message['role'])
    const parts = role === 'tool' ? [readResult(message, index, calls)] : readParts(message, index, calls)
    return asRead({ role, parts, native: { format: OPENAI_CHAT, value: message } })
  })
}

function readParts(message: Fields, index: number, calls: Calls): HistoryPart[] {
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
    for (const call of toolCalls as readonly unknown[]) parts.push(readCall(call, calls))
  }
  if (functionCall != null) parts.push(readFunctionCall(functionCall, index, calls))
  return parts
}

/** Read a call of a function or of a custom tool; what is neither stays as it is. */
function readCall(call: unknown, calls: Calls): HistoryPart {
  const native = slot('tool_calls', call)
  const { id, type, function: called, custom } = isFields(call) ? call : ({} as Fields)
  const isText = type !== 'custom'
  const { name, arguments: text, input = text } = Object((isText ? called : custom) ?? {}) as Fields
  if (typeof id !== 'string' || typeof name !== 'string' || typeof input !== 'string')
    return asRead({ type: 'opaque', value: call, native })
  calls.names.set(id, name)
  return asRead<HistoryToolCall>({ type: 'tool-call', id, name, input, inputIsText: isText, native })
}

function readFunctionCall(call: unknown, index: number, calls: Calls): HistoryPart {
  const native = slot('function_call', call)
  const { name, arguments: input } = Object(call) as Fields
  if (typeof name !== 'string' || typeof input !== 'string') return asRead({ type: 'opaque', value: call, native })
  const id = calls.makeId(index)
  calls.names.set(id, name)
  const waiting = calls.functions.get(name)
  if (waiting === undefined) calls.functions.set(name, [id])
  else waiting.push(id)
  return asRead<HistoryToolCall>({ type: 'tool-call', id, name, input, inputIsText: true, native })
}

function readResult(message: Fields, index: number, calls: Calls): HistoryPart {
  const content = readChatContent(message['content'], index)
  if (message['role'] === 'function') {
    const toolName = checkString(message['name'], `messages[${index}].name`)
    // Ids may come again: the newest call before a result is its own.
    const callId = calls.functions.get(toolName)?.pop() ?? calls.makeId(index)
    return asRead({ type: 'tool-result', callId, toolName, content })
  }
  const callId = checkString(message['tool_call_id'], `messages[${index}].tool_call_id`)
  const name = calls.names.get(callId) ?? message['name']
  return asRead({ type: 'tool-result', callId, toolName: typeof name === 'string' ? name : '', content })
}

/** Read the content of a message or result: a string, parts, or nothing. */
export function readChatContent(content: unknown, index: number): HistoryContent[] {
  if (content == null) return []
  if (typeof content === 'string') return [asRead({ type: 'text', text: content, native: slot('content', content) })]
  if (!Array.isArray(content)) throw fieldError(`messages[${index}].content`, 'a string, an array or null', content)
  return Array.from(content, (part: unknown) => asRead({ ...readPart(part), native: slot('content', part) }))
}

/** Return the field of a part that has its text, where it is a text. */
export function chatTextField({ type, text, refusal }: Fields): 'text' | 'refusal' | undefined {
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

/** Ids of the old form are made up of the place of their message, and differ from all that are there. */
function idMaker(messages: readonly unknown[]): Calls['makeId'] {
  let taken: ReadonlySet<unknown> | undefined
  return (index) => {
    taken ??= new Set(messages.flatMap((message) => idsOf(message)))
    let id = `function_call_${index}`
    while (taken.has(id)) id += '_'
    return id
  }
}

function idsOf(message: unknown): unknown[] {
  const { tool_calls: calls, tool_call_id: answered } = Object(message) as Fields
  const ids = Array.isArray(calls) ? calls.map((call: unknown) => (Object(call) as Fields)['id']) : []
  return [...ids, answered]
}
