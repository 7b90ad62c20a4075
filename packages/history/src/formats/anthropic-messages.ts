import { decodeBase64 } from '@spillway/text/internal'
import type { HistoryFormat } from '../history-format.ts'
import {
  asRead,
  type HistoryContent,
  type HistoryMedia,
  type HistoryMessage,
  type HistoryPart,
} from '../history-message.ts'
import {
  checkObjects,
  checkRole,
  checkString,
  fieldError,
  isFields,
  nativeIn,
  withFields,
  writeWithSystem,
  type Fields,
} from './check-fields.ts'
import { readAs, readContent, writeContent, type ContentRules } from './content-list.ts'
import { base64Of, mediaFields, type MediaSource } from './media-source.ts'

/** The conversation of a Messages API request. */
export interface AnthropicConversation<Message, System> {
  readonly system?: System | undefined
  readonly messages: Message[]
}

/**
 * Create the format for Anthropic's Messages API. The system prompt is read as the first message.
 *
 * A user message that has only tool results gets the role `tool`. Reasoning, server tools and unknown blocks do not
 * change. Write a request with `{ ...request, ...format.write(messages) }`. Other fields of the request are not read.
 *
 * Reading an invalid message throws a `TypeError` that names the message and the field.
 *
 * @example
 * ```ts
 * import { anthropicMessages } from '@spillway/history'
 *
 * const format = anthropicMessages<{ role: string; content: string }>()
 * const conversation = { system: 'Be brief.', messages: [{ role: 'user', content: 'Why did the build fail?' }] }
 * const messages = format.read(conversation)
 * console.assert(messages.map(({ role }) => role).join() === 'system,user')
 * console.assert(format.write(messages).messages[0] === conversation.messages[0])
 * ```
 */
export function anthropicMessages<Message extends object, System = string | object[]>(): HistoryFormat<
  AnthropicConversation<Message, System>
> {
  return {
    name: ANTHROPIC_MESSAGES,
    read: readAnthropicConversation,
    write: (messages) => writeConversation(messages) as unknown as AnthropicConversation<Message, System>,
  }
}

function writeConversation(messages: readonly HistoryMessage[]): Fields {
  const writer = { format: ANTHROPIC_MESSAGES, patch: patchAnthropicMessage }
  return writeWithSystem(messages, ['system', 'messages'], writer, (prompts) =>
    prompts.flatMap((prompt): readonly Fields[] => {
      if (typeof prompt === 'string') return prompt === '' ? [] : [{ type: 'text', text: prompt }]
      return Array.isArray(prompt) ? prompt.filter(isFields) : []
    }),
  )
}

const ANTHROPIC_MESSAGES = 'anthropic-messages'

const nativeOfBlock = nativeIn(ANTHROPIC_MESSAGES)

const ROLES = { system: 'system', user: 'user', assistant: 'assistant' } as const

interface Calls {
  readonly names: Map<string, string>
  /** Calls made by code in the provider's sandbox. Only this code reads their results, which must not change. */
  readonly ofPrograms: Set<string>
}

function readAnthropicConversation(conversation: unknown): HistoryMessage[] {
  if (!isFields(conversation)) throw fieldError('The conversation', 'an object with `messages`', conversation)
  const { system, messages } = conversation
  const calls: Calls = { names: new Map(), ofPrograms: new Set() }
  const read = checkObjects(messages).map((message, index) => readMessage(message, index, calls))
  if (system === undefined) return read
  const parts = readContent(ANTHROPIC_MESSAGES, system, 'system', readPiece as ReadPart)
  return [asRead({ role: 'system', parts, native: nativeOfBlock({ system }) }), ...read]
}

function readMessage(message: Fields, index: number, calls: Calls): HistoryMessage {
  const role = checkRole(ROLES, message['role'], `messages[${index}]`, 'user or assistant')
  const place = `messages[${index}].content`
  const parts = readContent<HistoryPart>(ANTHROPIC_MESSAGES, message['content'], place, (block, at) =>
    readBlock(block, `${place}[${at}]`, calls),
  )
  const isOfTools = role === 'user' && parts.length > 0 && parts.every(({ type }) => type === 'tool-result')
  return asRead({ role: isOfTools ? 'tool' : role, parts, native: nativeOfBlock(message) })
}

type ReadPart = (block: Fields) => HistoryPart | undefined

function readBlock(block: Fields, place: string, calls: Calls): HistoryPart | undefined {
  const { type, input, thinking } = block
  if (type === 'tool_use') {
    const id = checkString(block['id'], `${place}.id`)
    const name = checkString(block['name'], `${place}.name`)
    calls.names.set(id, name)
    if (isOfProgram(block)) calls.ofPrograms.add(id)
    return { type: 'tool-call', id, name, input, inputIsText: false }
  }
  if (type === 'tool_result') return readResult(block, place, calls)
  if (type === 'thinking' && typeof thinking === 'string') return { type: 'reasoning', text: thinking }
  if (type === 'redacted_thinking') return { type: 'reasoning', text: '' }
  // A message has search results as separate blocks, and a JSON part would not become such a block again.
  return type === 'search_result' ? undefined : (readPiece as ReadPart)(block)
}

function readResult(block: Fields, place: string, { names, ofPrograms }: Calls): HistoryPart {
  const { content, is_error: isError } = block
  const callId = checkString(block['tool_use_id'], `${place}.tool_use_id`)
  return {
    type: 'tool-result',
    callId,
    toolName: names.get(callId) ?? '',
    content: readResultContent(content, `${place}.content`, ofPrograms.has(callId)),
    ...(isError === true ? { isError } : {}),
  }
}

function readResultContent(content: unknown, place: string, isOfProgram: boolean): HistoryContent[] {
  if (content == null) return []
  if (isOfProgram) return [readAs(ANTHROPIC_MESSAGES, content)]
  return readContent(ANTHROPIC_MESSAGES, content, place, readPiece)
}

function isOfProgram({ caller }: Fields): boolean {
  const type = isFields(caller) ? caller['type'] : undefined
  return typeof type === 'string' && type !== 'direct'
}

function blockText({ type, text, source }: Fields): string | undefined {
  if (type === 'text') return typeof text === 'string' ? text : undefined
  if (type !== 'document' || !isFields(source) || source['type'] !== 'text') return undefined
  return typeof source['data'] === 'string' ? source['data'] : undefined
}

function readPiece(block: Fields): HistoryContent | undefined {
  const text = blockText(block)
  if (text !== undefined) return { type: 'text', text }
  return block['type'] === 'search_result' ? { type: 'json', value: block } : readMedia(block)
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

function patchAnthropicMessage(native: Fields, { parts }: HistoryMessage, index: number): Fields {
  const field = Object.hasOwn(native, 'role') ? 'content' : 'system'
  return withFields(native, { [field]: writeContent(native[field], parts, '\n\n', `messages[${index}]`, CONTENT) })
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

const CONTENT: ContentRules = {
  format: ANTHROPIC_MESSAGES,
  place: ['a message of the user', ' in the Messages API'],
  toPart: (text) => ({ type: 'text', text }),
  marks: ['cache_control'],
  withText: (block, text) => {
    if (blockText(block) === text) return block
    return isFields(block['source']) ? { ...block, source: { ...block['source'], data: text } } : { ...block, text }
  },
  writeMedia,
  // A restored search result has no native value, so its JSON becomes a block again.
  writeJson: (value) => (isFields(value) && value['type'] === 'search_result' ? value : undefined),
  patchTool: (native, part, place) => {
    if (part.type === 'tool-call') return withFields(native, { input: part.input })
    // A result for a program is one opaque block.
    const [only] = part.content
    if (only?.type === 'opaque' && part.content.length === 1 && only.native?.value === native['content']) return native
    return withFields(native, { content: writeContent(native['content'], part.content, '\n', place, CONTENT) })
  },
}

function writeMedia(media: HistoryMedia): Fields | undefined {
  const { type, mediaType, url, name } = media
  const base64 = base64Of(media)
  const title = name === undefined ? {} : { title: name }
  if (type === 'image') {
    if (base64 === undefined) return url === undefined ? undefined : { type, source: { type: 'url', url } }
    return IMAGE_TYPES.has(mediaType)
      ? { type, source: { type: 'base64', media_type: mediaType, data: base64 } }
      : undefined
  }
  if (type !== 'document') return undefined
  if (base64 === undefined) return url === undefined ? undefined : { type, source: { type: 'url', url }, ...title }
  if (mediaType === 'application/pdf')
    return { type, source: { type: 'base64', media_type: mediaType, data: base64 }, ...title }
  const bytes = mediaType.startsWith('text/') ? decodeBase64(base64) : undefined
  const data = bytes && new TextDecoder().decode(bytes)
  return data === undefined ? undefined : { type, source: { type: 'text', media_type: 'text/plain', data }, ...title }
}
