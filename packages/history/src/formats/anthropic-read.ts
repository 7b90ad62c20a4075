import { asRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryPart, HistoryRole, HistoryToolCall } from '../history-message.ts'
import { checkMessage, checkMessages, checkString, fieldError, isFields, type Fields } from './check-fields.ts'
import { mediaFields, type MediaSource } from './media-source.ts'

/** The name of the format of Anthropic's Messages API. */
export const ANTHROPIC_MESSAGES = 'anthropic-messages'

const nativeOfBlock = (value: unknown): { readonly format: string; readonly value: unknown } => ({
  format: ANTHROPIC_MESSAGES,
  value,
})

const ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  ['system', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
])

/** What is known of the calls before a message. */
interface Calls {
  readonly names: Map<string, string>
  /** Ids of calls that a program of the provider has made: no model reads their results, which must stay as they are. */
  readonly ofPrograms: Set<string>
}

/** Read a conversation. The native value of the system prompt is an object that has it, such as `{ system: 'Be brief.' }`. */
export function readAnthropicConversation(conversation: unknown): HistoryMessage[] {
  if (!isFields(conversation)) throw fieldError('The conversation', 'an object with `messages`', conversation)
  const { system, messages } = conversation
  const calls: Calls = { names: new Map(), ofPrograms: new Set() }
  const read = checkMessages(messages).map((value, index) => readMessage(checkMessage(value, index), index, calls))
  if (system === undefined) return read
  const parts = readAnthropicContent(system, 'system') as readonly HistoryPart[]
  return [asRead({ role: 'system', parts, native: nativeOfBlock({ system }) }), ...read]
}

function readMessage(message: Fields, index: number, calls: Calls): HistoryMessage {
  const role = ROLES.get(message['role'])
  if (role === undefined) throw fieldError(`messages[${index}].role`, 'user or assistant', message['role'])
  const { content } = message
  const parts = Array.isArray(content)
    ? Array.from(content, (block: unknown, at) => readBlock(block, `messages[${index}].content[${at}]`, calls))
    : (readAnthropicContent(content, `messages[${index}].content`) as readonly HistoryPart[])
  const isOfTools = role === 'user' && parts.length > 0 && parts.every(({ type }) => type === 'tool-result')
  return asRead({ role: isOfTools ? 'tool' : role, parts, native: nativeOfBlock(message) })
}

/** Read a system prompt, or the content of a message or result: a text or blocks. */
export function readAnthropicContent(content: unknown, place: string): HistoryContent[] {
  if (typeof content === 'string') return [asRead({ type: 'text', text: content, native: nativeOfBlock(content) })]
  if (!Array.isArray(content)) throw fieldError(place, 'a string or an array', content)
  return Array.from(content, (block: unknown) => asRead({ ...readPiece(block), native: nativeOfBlock(block) }))
}

function readBlock(block: unknown, place: string, calls: Calls): HistoryPart {
  const native = nativeOfBlock(block)
  if (!isFields(block)) return asRead({ type: 'opaque', value: block, native })
  const { type, id, name, input, thinking } = block
  if (type === 'tool_use') {
    const call: HistoryToolCall = {
      type: 'tool-call',
      id: checkString(id, `${place}.id`),
      name: checkString(name, `${place}.name`),
      input,
      inputIsText: false,
      native,
    }
    calls.names.set(call.id, call.name)
    if (isOfProgram(block)) calls.ofPrograms.add(call.id)
    return asRead(call)
  }
  if (type === 'tool_result') return readResult(block, place, calls)
  if (type === 'thinking' && typeof thinking === 'string') return asRead({ type: 'reasoning', text: thinking, native })
  if (type === 'redacted_thinking') return asRead({ type: 'reasoning', text: '', native })
  // Search results have a place of their own beside others, which JSON has not.
  const piece = type === 'search_result' ? undefined : readPiece(block)
  return asRead({ ...((piece as HistoryPart | undefined) ?? { type: 'opaque', value: block }), native })
}

function readResult(block: Fields, place: string, { names, ofPrograms }: Calls): HistoryPart {
  const { content, is_error: isError } = block
  const callId = checkString(block['tool_use_id'], `${place}.tool_use_id`)
  return asRead({
    type: 'tool-result',
    callId,
    toolName: names.get(callId) ?? '',
    content: readResultContent(content, `${place}.content`, ofPrograms.has(callId)),
    ...(isError === true ? { isError } : {}),
    native: nativeOfBlock(block),
  })
}

function readResultContent(content: unknown, place: string, isOfProgram: boolean): HistoryContent[] {
  if (content == null) return []
  if (isOfProgram) return [asRead({ type: 'opaque', value: content, native: nativeOfBlock(content) })]
  return readAnthropicContent(content, place)
}

function isOfProgram({ caller }: Fields): boolean {
  const type = isFields(caller) ? caller['type'] : undefined
  return typeof type === 'string' && type !== 'direct'
}

/** Return the text of a block, where it is one: a document of plain text is one as well. */
export function blockText({ type, text, source }: Fields): string | undefined {
  if (type === 'text') return typeof text === 'string' ? text : undefined
  if (type !== 'document' || !isFields(source) || source['type'] !== 'text') return undefined
  return typeof source['data'] === 'string' ? source['data'] : undefined
}

function readPiece(block: unknown): HistoryContent {
  if (!isFields(block)) return { type: 'opaque', value: block }
  const text = blockText(block)
  if (text !== undefined) return { type: 'text', text }
  if (block['type'] === 'search_result') return { type: 'json', value: block }
  return readMedia(block) ?? { type: 'opaque', value: block }
}

function readMedia({ type, source, title }: Fields): HistoryContent | undefined {
  if ((type !== 'image' && type !== 'document') || !isFields(source)) return undefined
  const fallback = type === 'image' ? 'image/*' : 'application/pdf'
  const mediaType = typeof source['media_type'] === 'string' ? source['media_type'] : fallback
  const content = mediaSource(source)
  return content && mediaFields(mediaType, content, typeof title === 'string' ? title : undefined)
}

function mediaSource({ type, data, url }: Fields): MediaSource | undefined {
  if (type === 'base64' && typeof data === 'string') return { base64: data }
  return type === 'url' && typeof url === 'string' ? { url } : undefined
}
