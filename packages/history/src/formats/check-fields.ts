import { isAsRead, type HistoryMessage, type NativeValue } from '../history-message.ts'

/** An object whose fields are not known yet. */
export type Fields = Readonly<Record<string, unknown>>

/** Tell whether a value is an object that is no array. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Return the messages of a conversation; throw a `TypeError` where they are no array.
 *
 * @example
 * ```ts
 * import { checkMessages } from '@spillway/history/format'
 *
 * console.assert(checkMessages([{ role: 'user' }]).length === 1)
 * ```
 */
export function checkMessages(messages: unknown, field = 'messages'): readonly unknown[] {
  if (!Array.isArray(messages)) throw new TypeError(`${field} must be an array, not ${kindOf(messages)}.`)
  // Holes become messages that are none.
  return Array.from(messages as readonly unknown[])
}

/** Return a message as an object; throw a `TypeError` that names its place where it is none. */
export function checkMessage(message: unknown, index: number, field = 'messages'): Fields {
  if (!isFields(message)) throw new TypeError(`${field}[${index}] must be an object, not ${kindOf(message)}.`)
  return message
}

/** Make the error of a field whose value no message of a format has. */
export const fieldError = (place: string, expected: string, value: unknown): TypeError =>
  new TypeError(`${place} must be ${expected}, not ${kindOf(value)}.`)

/** Return a field that must be a string. */
export function checkString(value: unknown, place: string): string {
  if (typeof value !== 'string') throw fieldError(place, 'a string', value)
  return value
}

/** Name a value without showing more of it than a word. */
function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value.length > 0 && value.length <= 24 ? `'${value}'` : 'a string'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`
}

/**
 * Replace fields of an object in their places, and return the very object where none differs; `undefined` removes one.
 *
 * @example
 * ```ts
 * import { withFields } from '@spillway/history/format'
 *
 * const message = { content: 'all of the log', role: 'tool' }
 * console.assert(JSON.stringify(withFields(message, { content: 'short' })) === '{"content":"short","role":"tool"}')
 * console.assert(withFields(message, { role: 'tool' }) === message)
 * ```
 */
export function withFields(native: Fields, fields: Fields): Fields {
  const changed = Object.entries(fields).filter(([name, value]) => native[name] !== value)
  if (changed.length === 0) return native
  const gone = new Set(changed.filter(([, value]) => value === undefined).map(([name]) => name))
  const patched = { ...native, ...Object.fromEntries(changed) }
  return gone.size === 0 ? patched : Object.fromEntries(Object.entries(patched).filter(([name]) => !gone.has(name)))
}

/** How the messages of one format are written. */
export interface MessageWriter {
  readonly format: string
  /** Write a message of this format with the parts that it has now. */
  patch(native: Fields, message: HistoryMessage, index: number): Fields
  /** Make a system message of a text: a summary needs one where a conversation has none. */
  makeSystem(text: string): Fields
}

/**
 * Write messages: untouched ones as the very objects, changed ones patched.
 *
 * A message that was not read by the format must be a system message of text; throws a `TypeError` for any other.
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
    return isUntouched(format, message) ? native : writer.patch(native, message, index)
  })
}

function textOfSystem({ role, parts }: HistoryMessage, index: number, format: string): string {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (role === 'system' && texts.length === parts.length) return texts.join('\n\n')
  throw new TypeError(
    `messages[${index}] was not read as ${format}: write messages with the format that has read them.`,
  )
}

/** A message or part, as far as it says what it was read from. */
interface Native {
  readonly native?: NativeValue | undefined
}

/** Return what a message or part was read from, where that was an object of this format. */
export function nativeOf(format: string, { native }: Native): Fields | undefined {
  return native?.format === format && isFields(native.value) ? native.value : undefined
}

/** Tell whether a message is the very object that this format has read. */
const isUntouched = (format: string, value: Native): boolean => value.native?.format === format && isAsRead(value)
