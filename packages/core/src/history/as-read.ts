/** Messages and parts that are as a format has read them: an edit makes a copy, which is not among them. */
const unchanged = new WeakSet<object>()

/**
 * Remember that a message or part is as its format has it, so that it is written back as the very value that was read.
 *
 * A format calls it on each message, part and piece of content that it reads. An edit makes a copy, which is not marked.
 *
 * @example
 * ```ts
 * import { asRead, isAsRead } from '@spillway/core/history/format'
 *
 * const part = asRead({ type: 'text', text: 'Hello' })
 * console.assert(isAsRead(part) && !isAsRead({ ...part }))
 * ```
 */
export function asRead<Value extends object>(value: Value): Value {
  unchanged.add(value)
  return value
}

/** Tell whether a message or part is the very object that a format has read, so that its native value says all of it. */
export const isAsRead = (value: object): boolean => unchanged.has(value)
