import * as langchain from '@langchain/core/messages'
import { isBaseMessage, SystemMessage, type BaseMessage } from '@langchain/core/messages'
import { copyWith } from '@spillway/core/adapter'
import {
  decodeLossless,
  encodeLossless,
  type HistoryFormat,
  type HistoryMessage,
  type HistoryPart,
  type HistoryRole,
  type HistoryToolCall,
  type HistoryToolResult,
} from '@spillway/history'
import {
  argumentsObject,
  asRead,
  base64Of,
  checkMessages,
  fieldError,
  isAsRead,
  isFields,
  withFields,
  writeContent,
  writeMessages,
  type ContentRules,
  type Fields,
} from '@spillway/history/format'
import { mediaPart, textOfPart } from '../content-parts.ts'
import {
  blockWith,
  callFields,
  entriesOf,
  hasArguments,
  isCallBlock,
  isInputOf,
  repeatsCall,
  withArguments,
  type NativeCall,
} from './native-call.ts'
import { LANGCHAIN_MESSAGES, messageOf, nativeOfPart, standingFor, type AnyMessage } from './native-message.ts'
import { blocksOf, isPlainValue, readPiece, readResultContent } from './read-content.ts'

/**
 * Read and write messages of LangChain's classes. Unchanged messages stay the same objects, and changed ones are copies
 * of the same class.
 *
 * If a provider repeats a call in the content or the metadata, all places change together. Reading throws a `TypeError`
 * that names the message if its class is unknown.
 */
export function langchainMessages(): HistoryFormat<readonly BaseMessage[]> {
  return {
    name: LANGCHAIN_MESSAGES,
    read: readLangchainMessages,
    write: (messages) =>
      writeMessages(messages, {
        format: LANGCHAIN_MESSAGES,
        patch: (native, message, index) => fieldsOf(patchMessage(messageOf(native) as AnyMessage, message, index)),
        makeSystem: (text) => fieldsOf(new SystemMessage({ content: text })),
      }).map((written) => messageOf(written) ?? (written as unknown as BaseMessage)),
    encode: encodeMessages,
    decode: decodeMessages,
  }
}

/** Casts to fields, because the classes have no index signature. */
const fieldsOf = (message: BaseMessage): Fields => message as unknown as Fields

interface Reading {
  readonly messages: readonly AnyMessage[]
  readonly index: number
  /** Tool names by the ids of calls. */
  readonly names: Map<string, string>
}

const ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  ['system', 'system'],
  ['human', 'user'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
])
/** Roles of the messages that have a `role` field. */
const CHAT_ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['assistant', 'assistant'],
])

function readLangchainMessages(conversation: unknown): HistoryMessage[] {
  const messages = checkMessages(conversation).map((message, index) => {
    if (isBaseMessage(message)) return message
    throw fieldError(`messages[${index}]`, 'a message of LangChain, such as a HumanMessage', message)
  })
  const names = new Map<string, string>()
  return messages.map((message, index) => {
    const native = nativeOfPart(standingFor(message))
    return asRead({ role: roleOf(message), parts: readParts(message, { messages, index, names }), native })
  })
}

/** Messages of unknown classes count as the user's. Results of old functions count as tool results. */
function roleOf(message: AnyMessage): HistoryRole {
  if (message.type === 'generic') return CHAT_ROLES.get((message as unknown as Fields)['role']) ?? 'user'
  if (message.type === 'function') return 'tool'
  return ROLES.get(message.type) ?? 'user'
}

function readParts(message: AnyMessage, reading: Reading): readonly HistoryPart[] {
  const { type, content } = message
  if (type === 'ai') return readAssistant(message, reading)
  if (type === 'tool') return [readResult(message, reading)]
  if (ROLES.has(type) || type === 'generic') return blocksOf(content).map(readPiece)
  return [asRead({ type: 'opaque', value: { type, content }, native: nativeOfPart(content) })]
}

function readResult(message: AnyMessage, { index, names }: Reading): HistoryPart {
  const { tool_call_id: callId, name, status, content, additional_kwargs } = message
  if (typeof callId !== 'string') throw fieldError(`messages[${index}].tool_call_id`, 'a string', callId)
  // A screenshot is the answer to a computer call, and must not be replaced by text.
  const isScreenshot = additional_kwargs?.['type'] === 'computer_call_output'
  const opaque = { type: 'opaque', value: content, native: nativeOfPart(content) } as const
  return asRead({
    type: 'tool-result',
    callId,
    toolName: name ?? names.get(callId) ?? '',
    content: isScreenshot ? [asRead(opaque)] : readResultContent(content),
    ...(status === 'error' ? { isError: true } : {}),
    native: nativeOfPart(content),
  })
}

/** A call has the position of the content block that repeats it. Without such a block, the call comes last. */
function readAssistant(message: AnyMessage, reading: Reading): readonly HistoryPart[] {
  const calls = (message.tool_calls ?? []) as readonly unknown[] as readonly Fields[]
  const blocks = blocksOf(message.content)
  const open = new Set(calls.keys())
  const taken = new Set<unknown>()
  const parts: HistoryPart[] = []
  const add = (at: number, own: readonly Fields[]): void => {
    open.delete(at)
    parts.push(readCall({ call: calls[at]!, blocks: own, entries: entriesOf(message, calls[at]!) }, at, reading))
  }
  for (const block of blocks) {
    if (taken.has(block)) continue
    const at = isCallBlock(block) ? [...open].find((position) => repeatsCall(block, calls[position]!)) : undefined
    if (at === undefined) {
      parts.push(readPiece(block))
      continue
    }
    const pieces = blocks.filter((one): one is Fields => isInputOf(one, block as Fields))
    for (const piece of pieces) taken.add(piece)
    add(at, [block as Fields, ...pieces])
  }
  for (const at of open) add(at, [])
  return parts
}

function readCall(native: NativeCall, at: number, reading: Reading): HistoryToolCall {
  const { id: own, name, args } = native.call
  const id = typeof own === 'string' ? own : madeId(at, reading)
  const toolName = typeof name === 'string' ? name : ''
  reading.names.set(id, toolName)
  return asRead({
    type: 'tool-call',
    id,
    name: toolName,
    input: args,
    inputIsText: false,
    native: nativeOfPart(native),
  })
}

/** Make an id from the position of a call that has no id. */
function madeId(at: number, { messages, index }: Reading): string {
  const taken = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)))
  let id = `call_${index}_${at}`
  while (taken.has(id)) id += '_'
  return id
}

/** Returns a copy of the same class. */
function patchMessage(native: AnyMessage, { parts }: HistoryMessage, index: number): BaseMessage {
  const [part] = parts
  const place = `messages[${index}]`
  if (native.type === 'tool' && part?.type === 'tool-result')
    return copyMessage(native, { content: resultContent(native.content, part, place) })
  const calls = new Map<HistoryPart, NativeCall>()
  for (const one of parts) if (one.type === 'tool-call') calls.set(one, callOf(one))
  const blocks = parts.flatMap((one): readonly HistoryPart[] => {
    const own = ownOf(one)
    if (one.type === 'opaque' && isCallBlock(own)) return [opaque(repeated(own, calls.values()))]
    return calls.get(one)?.blocks.map(opaque) ?? [one]
  })
  const content = writeContent(native.content, blocks, '\n\n', place, CONTENT)
  return copyMessage(native, { content, ...(native.type === 'ai' ? callFields(native, [...calls.values()]) : {}) })
}

const opaque = (block: unknown): HistoryPart => ({ type: 'opaque', value: block, native: nativeOfPart(block) })

const CONTENT: ContentRules = {
  format: LANGCHAIN_MESSAGES,
  place: ['a message of LangChain', ''],
  toPart: (text) => ({ type: 'text', text }),
  marks: ['cache_control'],
  withText: (block, text) => {
    if (typeof block['text'] === 'string') return withFields(block, { text })
    if (textOfPart(block) === undefined || !isFields(block['source'])) return { type: 'text', text }
    return withFields(block, { source: withFields(block['source'], { data: text }) })
  },
  writeMedia: (media) => {
    const data = base64Of(media)
    if (data !== undefined) return mediaPart(media, { data })
    return media.url === undefined ? undefined : mediaPart(media, { url: media.url })
  },
  // A restored search result has no native value.
  writeJson: (value) => (isFields(value) && value['type'] === 'search_result' ? value : undefined),
}

/** Older versions repeat a call more than once. Every copy of a call gets the new arguments. */
function repeated(block: Fields, calls: Iterable<NativeCall>): Fields {
  for (const { call } of calls)
    if (repeatsCall(block, call)) return hasArguments(block, call['args']) ? block : blockWith(block, call['args'])
  return block
}

const ownOf = ({ native }: Pick<HistoryPart, 'native'>): unknown =>
  native?.format === LANGCHAIN_MESSAGES ? native.value : undefined

function resultContent(original: unknown, part: HistoryToolResult, place: string): unknown {
  if (isAsRead(part)) return original
  const [only] = part.content
  if (part.content.length === 1 && only?.type === 'json' && isPlainValue(only.value)) return ownOf(only) ?? only.value
  return writeContent(original, part.content, '\n', place, CONTENT)
}

function callOf(part: HistoryToolCall): NativeCall {
  const native = ownOf(part) as NativeCall | undefined
  return native === undefined ? { call: newCall(part), blocks: [], entries: [] } : withArguments(native, part.input)
}

const newCall = (call: HistoryToolCall): Fields => ({
  type: 'tool_call',
  id: call.id,
  name: call.name,
  args: argumentsObject(call),
})

/** Returns the same message if no value differs. The constructor is not called, because it may need other arguments. */
function copyMessage<Message extends BaseMessage>(message: Message, fields: Fields): Message {
  const changed = Object.entries(fields).filter(([name, value]) => (message as unknown as Fields)[name] !== value)
  if (changed.length === 0) return message
  // Checkpoints store the arguments of the constructor by name.
  const given: Record<string, unknown> = { ...message.lc_kwargs }
  for (const [name, value] of changed) {
    if (Object.hasOwn(given, name)) given[name] = value
    if (name === 'content' && Object.hasOwn(given, 'contentBlocks')) Object.assign(given, asBlocks(given, value))
  }
  return copyWith(message, { ...Object.fromEntries(changed), lc_kwargs: given } as unknown as Partial<Message>)
}

/** LangChain 1 has a standard form with `contentBlocks` in place of `content`. */
const asBlocks = ({ content }: Fields, value: unknown): Fields => ({
  contentBlocks: value,
  ...(content === value ? { content: undefined } : {}),
})

/** `given` names the constructor fields that are also fields of the message. */
interface EncodedMessage {
  readonly class: string
  readonly fields: Fields
  readonly given: readonly (string | readonly [name: string, value: unknown])[]
}

type MessageClass = new (fields: never) => BaseMessage

const CLASS_NAME = /^(?:(?:AI|Chat|Function|Human|System|Tool)Message(?:Chunk)?|RemoveMessage)$/
const CLASSES: Readonly<Record<string, MessageClass>> = Object.fromEntries(
  Object.entries(langchain as Readonly<Record<string, unknown>>).filter(([name]) => CLASS_NAME.test(name)),
) as Record<string, MessageClass>

const OWN = new Set(['lc_kwargs', 'lc_namespace', 'lc_serializable', 'lc_direct_tool_output', 'type'])

/**
 * Encode messages as a JSON value, with all fields.
 *
 * LangChain's own `mapChatMessagesToStoredMessages` merges chunks into whole messages, and loses bytes, dates and some
 * fields.
 *
 * Throws a `TypeError` for an unknown class, and for values that JSON cannot express, such as a function in an
 * artifact.
 */
const encodeMessages = (messages: readonly BaseMessage[]): unknown => encodeLossless(messages.map(encodeMessage))

function encodeMessage(message: BaseMessage, index: number): EncodedMessage {
  const name = classOf(message)
  if (name === undefined) throw new TypeError(`messages[${index}] cannot be stored: LangChain has no class for it.`)
  const fields: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(message)) if (!OWN.has(key)) fields[key] = value
  const given = Object.entries(message.lc_kwargs as Fields).map(([key, value]) =>
    Object.hasOwn(fields, key) && fields[key] === value ? key : ([key, value] as const),
  )
  return { class: name, fields, given }
}

/** Compares by name, because the message may come from another copy of LangChain. */
function classOf(message: BaseMessage): string | undefined {
  const { lc_name: own } = message.constructor as { readonly lc_name?: () => string }
  const named = Object.keys(CLASSES).filter((name) => typeOf(CLASSES[name]!) === message.type)
  const exact = named.find((name) => Object.getPrototypeOf(message) === CLASSES[name]!.prototype)
  return exact ?? named.find((name) => name === own?.call(message.constructor)) ?? named[0]
}

/** Throws a `TypeError` for other values. No stored field replaces a method, because a tool may have written it. */
function decodeMessages(value: unknown): BaseMessage[] {
  return checkMessages(decodeLossless(value)).map((message, index) => {
    const { class: name, fields, given } = Object(message ?? {}) as Partial<EncodedMessage>
    const Class = typeof name === 'string' && Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined
    if (Class === undefined || !isFields(fields) || !Array.isArray(given))
      throw new TypeError(`messages[${index}] is not a LangChain message.`)
    return decodeMessage(Class, fields, given)
  })
}

function decodeMessage(Class: MessageClass, fields: Fields, given: EncodedMessage['given']): BaseMessage {
  const message = emptyOf(Class)
  const kwargs: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (OWN.has(name) || name in Class.prototype) throw new TypeError(`A LangChain message has no field ${name}.`)
    define(message, name, value)
  }
  for (const entry of given) {
    if (typeof entry === 'string') define(kwargs, entry, fields[entry])
    else if (Array.isArray(entry)) define(kwargs, entry[0], entry[1])
  }
  define(message, 'lc_kwargs', kwargs)
  return message
}

const emptyOf = (Class: MessageClass): BaseMessage => new Class({ content: '', role: '', tool_call_id: '' } as never)

const types = new Map<MessageClass, string>()

function typeOf(Class: MessageClass): string {
  const type = types.get(Class) ?? emptyOf(Class).type
  types.set(Class, type)
  return type
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}
