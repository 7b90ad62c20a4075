import { isAsRead, type HistoryMessage, type HistoryRole, type NativeValue } from '../history-message.ts'

/** An object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>

/** Return whether a value is an object and not an array. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Return the messages of a conversation. Throws a `TypeError` if the messages are not an array. */
export function checkMessages(messages: unknown, field = 'messages'): readonly unknown[] {
  if (!Array.isArray(messages)) throw new TypeError(`${field} must be an array, not ${kindOf(messages)}.`)
  // `Array.from` turns holes into `undefined`, which is then reported as an invalid message.
  return Array.from(messages as readonly unknown[])
}

/** Return the messages of a conversation. Throws a `TypeError` if one of them is not an object. */
export const checkObjects = (messages: unknown, field = 'messages'): readonly Fields[] =>
  checkMessages(messages, field).map((message, index) => {
    if (isFields(message)) return message
    throw fieldError(`${field}[${index}]`, 'an object', message)
  })

/** Create the error for an invalid field. */
export const fieldError = (place: string, expected: string, value: unknown): TypeError =>
  new TypeError(`${place} must be ${expected}, not ${kindOf(value)}.`)

export function checkString(value: unknown, place: string): string {
  if (typeof value !== 'string') throw fieldError(place, 'a string', value)
  return value
}

/** Convert a role of an API to a neutral role. `roles` maps each allowed role of the API. */
export function checkRole(
  roles: Readonly<Record<string, HistoryRole>>,
  role: unknown,
  place: string,
  expected: string,
): HistoryRole {
  if (typeof role === 'string' && Object.hasOwn(roles, role)) return roles[role] as HistoryRole
  throw fieldError(`${place}.role`, expected, role)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value.length > 0 && value.length <= 24 ? `'${value}'` : 'a string'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`
}

/** Replace fields in a copy. `undefined` removes a field. If nothing changes, the same object is returned. */
export function withFields(native: Fields, fields: Fields): Fields {
  const changed = Object.entries(fields).filter(([name, value]) => native[name] !== value)
  if (changed.length === 0) return native
  const gone = new Set(changed.filter(([, value]) => value === undefined).map(([name]) => name))
  const patched = { ...native, ...Object.fromEntries(changed) }
  return gone.size === 0 ? patched : Object.fromEntries(Object.entries(patched).filter(([name]) => !gone.has(name)))
}

/** Writes the messages of one format. */
export interface MessageWriter {
  readonly format: string
  /** Write a changed message of this format. */
  patch(native: Fields, message: HistoryMessage, index: number): Fields
  /** Create the system message for a summary in a history that has no system message. */
  makeSystem(text: string): Fields
}

/**
 * Write messages. An unchanged message is the same object as before, and a changed message is patched.
 *
 * Throws a `TypeError` for a message of another format, unless it is a system message that has only text.
 *
 * @example
 * ```ts
 * import { writeMessages } from '@spillway/history/format'
 *
 * const written = writeMessages([{ role: 'system', parts: [{ type: 'text', text: 'You help.' }] }], {
 *   format: 'mine',
 *   patch: (native) => native,
 *   makeSystem: (text) => ({ role: 'system', lines: [text] }),
 * })
 * console.assert(written[0]?.['role'] === 'system')
 * ```
 */
export function writeMessages(messages: readonly HistoryMessage[], writer: MessageWriter): Fields[] {
  const { format } = writer
  return messages.map((message, index) => {
    const native = nativeOf(format, message)
    if (native === undefined) return writer.makeSystem(textOfSystem(message, index, format))
    return message.native?.format === format && isAsRead(message) ? native : writer.patch(native, message, index)
  })
}

/** Write messages of an API with a separate system prompt. `joinPrompts` joins prompts that are not all strings. */
export function writeWithSystem(
  messages: readonly HistoryMessage[],
  [systemKey, listKey]: readonly [system: string, list: string],
  writer: Omit<MessageWriter, 'makeSystem'>,
  joinPrompts: (prompts: readonly unknown[]) => unknown,
): Fields {
  const written = writeMessages(messages, { ...writer, makeSystem: (text) => ({ [systemKey]: text }) })
  const prompts = written.filter((one) => Object.hasOwn(one, systemKey)).map((one) => one[systemKey])
  const list = written.filter((one) => !Object.hasOwn(one, systemKey))
  if (prompts.length === 0) return { [listKey]: list }
  const texts = prompts.filter((prompt) => typeof prompt === 'string')
  const areTexts = texts.length === prompts.length
  const joined = areTexts ? texts.filter((text) => text !== '').join('\n\n') : joinPrompts(prompts)
  return { [systemKey]: prompts.length === 1 ? prompts[0] : joined, [listKey]: list }
}

function textOfSystem({ role, parts }: HistoryMessage, index: number, format: string): string {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (role === 'system' && texts.length === parts.length) return texts.join('\n\n')
  throw otherFormat(`messages[${index}]`, format)
}

/** Create the error for messages that another format has read. */
export const otherFormat = (what: string, format: string): TypeError =>
  new TypeError(`${what} was not read with the format ${format}. Write messages with the format that read them.`)

/** Return a function that creates native values of a format. */
export const nativeIn =
  (format: string): ((value: unknown) => NativeValue) =>
  (value) => ({ format, value })

/** Return the native object of a message or part. Return `undefined` for a message or part of another format. */
export function nativeOf(format: string, { native }: Pick<HistoryMessage, 'native'>): Fields | undefined {
  return native?.format === format && isFields(native.value) ? native.value : undefined
}
