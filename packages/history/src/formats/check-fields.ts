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
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value.length > 0 && value.length <= 24 ? `'${value}'` : 'a string'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`
}
