import { isAsRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryPart, HistoryMedia, HistoryToolCall } from '../history-message.ts'
import { isFields, type Fields } from './check-fields.ts'
import { writeContentList, type WrittenPiece } from './content-list.ts'
import { nativeOf } from './native-value.ts'
import { chatTextField, OPENAI_CHAT } from './openai-chat-read.ts'
import { withFields } from './with-fields.ts'
import { jsonText } from './json-text.ts'
import { base64Of, urlOf } from './media-source.ts'

/** Fields of a message that parts stand in alone. */
const OWN_FIELDS = ['reasoning_content', 'reasoning', 'refusal', 'audio', 'function_call'] as const

/** Write a message of the API with the parts that it has now; all other fields stay, in their order. */
export function patchChatMessage(native: Fields, message: HistoryMessage, index: number): Fields {
  const place = `messages[${index}]`
  const [result] = message.parts
  if (message.role === 'tool' && result?.type === 'tool-result') {
    return withFields(native, { content: writeContent(native['content'], result.content, '\n', place) })
  }
  const content: HistoryPart[] = []
  const calls: unknown[] = []
  const fields: Record<string, unknown> = {}
  for (const [at, part] of message.parts.entries()) {
    const own = nativeOf(OPENAI_CHAT, part)
    const field = own === undefined ? undefined : OWN_FIELDS.find((name) => Object.hasOwn(own, name))
    if (own !== undefined && field !== undefined) fields[field] = writeOwnField(own[field], part)
    else if (part.type === 'tool-call') calls.push(patchCall(own, part, `${place}.parts[${at}]`))
    else if (own !== undefined && Object.hasOwn(own, 'tool_calls')) calls.push(own['tool_calls'])
    else if (part.type !== 'reasoning' && part.type !== 'tool-result') content.push(part)
  }
  // What is gone of the parts is gone of the message.
  for (const field of OWN_FIELDS) if (isPartField(native, field) && !(field in fields)) fields[field] = null
  fields['content'] = writeContent(native['content'], content as readonly HistoryContent[], '\n\n', place)
  const before = native['tool_calls']
  const had: readonly unknown[] = Array.isArray(before) ? before : []
  if (had.length !== calls.length || calls.some((call, at) => call !== had[at])) {
    fields['tool_calls'] = calls.length === 0 ? undefined : calls
  }
  return withFields(native, fields)
}

/** Tell whether a field of a message was read as a part. */
function isPartField(native: Fields, field: (typeof OWN_FIELDS)[number]): boolean {
  const value = native[field]
  if (field === 'audio' || field === 'function_call') return native['role'] === 'assistant' && value != null
  if (field === 'refusal') return native['role'] === 'assistant' && typeof value === 'string'
  return typeof value === 'string' && value !== ''
}

function writeOwnField(native: unknown, part: HistoryPart): unknown {
  if (part.type === 'text') return part.text
  if (part.type !== 'tool-call' || !isFields(native) || native['arguments'] === part.input) return native
  return { ...native, arguments: part.input }
}

function patchCall(own: Fields | undefined, part: Extract<HistoryPart, { type: 'tool-call' }>, place: string): unknown {
  const call = own?.['tool_calls']
  if (!isFields(call)) return writeChatCall(part, part.id, place)
  if (isAsRead(part)) return call
  const [field, name] = call['type'] === 'custom' ? ['custom', 'input'] : ['function', 'arguments']
  const called = call[field] as Fields
  const input = writeChatInput(part, place)
  return called[name] === input ? call : { ...call, [field]: { ...called, [name]: input } }
}

/** Write content with the pieces that it has now. */
function writeContent(original: unknown, pieces: readonly HistoryContent[], separator: string, place: string): unknown {
  const fresh = new Set<WrittenPiece>()
  const written = pieces.map((piece): WrittenPiece => {
    const own = nativeOf(OPENAI_CHAT, piece)?.['content']
    if (own !== undefined && (isAsRead(piece) || piece.type !== 'text')) return own as WrittenPiece
    if (piece.type === 'text' && typeof own === 'string') return piece.text
    const field = isFields(own) ? chatTextField(own) : undefined
    if (isFields(own) && field !== undefined && piece.type === 'text')
      return own[field] === piece.text ? own : { ...own, [field]: piece.text }
    const part = writeChatContentPart(piece, place)
    if (piece.type === 'text' || piece.type === 'json') fresh.add(part)
    return part
  })
  const toPart = (text: string): Fields => ({ type: 'text', text })
  const marks = ['cache_control', 'prompt_cache_breakpoint']
  return writeContentList({ original, pieces: written, fresh, toPart, separator, marks })
}

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
])

/** Write a call with an id of the API. */
export function writeChatCall(part: HistoryToolCall, id: string, place: string): Fields {
  return { id, type: 'function', function: { name: part.name, arguments: writeChatInput(part, place) } }
}

/** Write the arguments of a call as the text that the API has. */
export const writeChatInput = ({ input }: HistoryToolCall, place: string): string =>
  typeof input === 'string' ? input : jsonText(input, place)

/** Write a piece of content as a part of a message. */
export function writeChatContentPart(piece: HistoryContent, place: string, role = 'user'): Fields {
  if (piece.type === 'text') return { type: 'text', text: piece.text }
  if (piece.type === 'json') return { type: 'text', text: jsonText(piece.value, place) }
  const media = piece.type === 'opaque' || role !== 'user' ? undefined : writeMedia(piece)
  if (media !== undefined) return media
  const whose = role === 'assistant' ? 'the model' : role === 'system' ? 'the system' : 'the user'
  throw new TypeError(`${place}: a message of ${whose} has no place for this ${piece.type} in Chat Completions.`)
}

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
