import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
  type BaseMessage,
} from '@langchain/core/messages'
import { decodeLossless, encodeLossless } from '@spillway/history'
import { checkMessages, isFields, type Fields } from '@spillway/history/format'

/** A message as it is stored: what its constructor was given is named, where it stands in a field as well. */
interface EncodedMessage {
  readonly class: string
  readonly fields: Fields
  readonly given: readonly (string | readonly [name: string, value: unknown])[]
}

type MessageClass = new (fields: never) => BaseMessage

const CLASSES: Readonly<Record<string, MessageClass>> = {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
}

/** Fields of every message, which its class makes. */
const OWN: ReadonlySet<string> = new Set([
  'lc_kwargs',
  'lc_namespace',
  'lc_serializable',
  'lc_direct_tool_output',
  'type',
])

/**
 * Turn messages into a JSON value that {@link decodeMessages} turns back, with all fields that they have.
 *
 * LangChain's own form, that of `mapChatMessagesToStoredMessages`, makes whole messages of those that were streamed, and
 * loses bytes, dates and fields that the constructor was not given.
 *
 * Throws a `TypeError` for a message of a class that LangChain has not, and for what JSON has no form for, such as a
 * function in the artifact of a result.
 */
export function encodeMessages(messages: readonly BaseMessage[]): unknown {
  return encodeLossless(messages.map(encodeMessage))
}

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

/** Find the class of a message, be it of another copy of LangChain: by what it is, not by which code made it. */
function classOf(message: BaseMessage): string | undefined {
  const { lc_name: own } = message.constructor as { readonly lc_name?: () => string }
  const named = Object.keys(CLASSES).filter((name) => typeOf(CLASSES[name]!) === message.type)
  const exact = named.find((name) => Object.getPrototypeOf(message) === CLASSES[name]!.prototype)
  return exact ?? named.find((name) => name === own?.call(message.constructor)) ?? named[0]
}

/**
 * Undo {@link encodeMessages}. Throws a `TypeError` for what it has not made.
 *
 * What is stored may be a tool's: nothing in it gets in the way of a method.
 */
export function decodeMessages(value: unknown): BaseMessage[] {
  return checkMessages(decodeLossless(value)).map((message, index) => {
    const { class: name, fields, given } = Object(message ?? {}) as Partial<EncodedMessage>
    const Class = typeof name === 'string' && Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined
    if (Class === undefined || !isFields(fields) || !Array.isArray(given))
      throw new TypeError(`messages[${index}] is no message of LangChain.`)
    return decodeMessage(Class, fields, given)
  })
}

function decodeMessage(Class: MessageClass, fields: Fields, given: EncodedMessage['given']): BaseMessage {
  const message = emptyOf(Class)
  const kwargs: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (OWN.has(name) || name in Class.prototype) throw new TypeError(`A message of LangChain has no field ${name}.`)
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
