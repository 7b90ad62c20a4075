import { parseExactJson, parseJsonText } from '@spillway/core/adapter'
import { openAIChat, type HistoryFormat } from '@spillway/history'

type Fields = Readonly<Record<string | symbol, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Marks a call in flat form, and copies of that call. */
const FLAT = Symbol('flat')

interface FlatForm {
  readonly isText: boolean
  readonly own: Fields
}

/** Create the format of ReMe's messages: Chat Completions with flat calls and results that may be objects. */
export function remeFormat(): HistoryFormat<object[]> {
  const chat = openAIChat<object>()
  /** Original messages by converted messages. */
  const originals = new WeakMap<object, object>()
  const asChat = (message: unknown): object => {
    const fields = isFields(message) ? message : {}
    const changes = { ...chatCalls(fields), ...chatContent(fields) }
    if (Object.keys(changes).length === 0) return message as object
    const made = { ...fields, ...changes }
    originals.set(made, message as object)
    return made
  }
  return {
    name: chat.name,
    read: (conversation) => chat.read(Array.isArray(conversation) ? conversation.map(asChat) : conversation),
    write: (messages) => chat.write(messages).map((message) => originals.get(message) ?? withFlatCalls(message)),
    // Conversations come from JSON, so they need no encoding, and stay readable in files.
    encode: (conversation) => conversation,
    decode: (value) => value as object[],
  }
}

function chatCalls({ tool_calls: calls }: Fields): Fields {
  if (!Array.isArray(calls) || !calls.some(isFlat)) return {}
  return { tool_calls: calls.map((call: unknown) => (isFlat(call) ? chatCall(call) : call)) }
}

const isFlat = (call: unknown): call is Fields =>
  isFields(call) && typeof call['name'] === 'string' && call['function'] === undefined && call['custom'] === undefined

function chatCall({ name, arguments: given, ...rest }: Fields): Fields {
  const isText = typeof given === 'string'
  const form: FlatForm = { isText, own: Object.hasOwn(rest, 'type') ? { type: rest['type'] } : {} }
  const text = isText ? given : JSON.stringify(given ?? {})
  return { ...rest, type: 'function', function: { name, arguments: text }, [FLAT]: form }
}

function chatContent({ role, content }: Fields): Fields {
  if (role !== 'tool' || !isFields(content)) return {}
  return { content: JSON.stringify(content, null, 2) }
}

function withFlatCalls(message: object): object {
  const { tool_calls: calls } = message as Fields
  if (!Array.isArray(calls) || !calls.some((call: unknown) => isFields(call) && call[FLAT] !== undefined))
    return message
  return { ...message, tool_calls: calls.map((call: unknown) => flatCall(call)) }
}

function flatCall(call: unknown): unknown {
  if (!isFields(call) || !isFields(call['function']) || call[FLAT] === undefined) return call
  const { function: called, type: _type, [FLAT]: form, ...rest } = call
  const { name, arguments: text } = called
  const { isText, own } = form as FlatForm
  return { ...rest, ...own, name, arguments: isText ? text : parsed(text) }
}

function parsed(text: unknown): unknown {
  const value = parseJsonText(String(text), parseExactJson)
  return value === undefined ? text : value
}
