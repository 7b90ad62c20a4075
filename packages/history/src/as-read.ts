/** Adds its field to the object that it is made of. */
const Given = function (value: object): object {
  return value
} as unknown as new (value: object) => object

/**
 * Marks messages and parts that are as a format has read them. A private field stays behind when an edit copies them, shows
 * in no JSON and no comparison, and costs less than a `WeakSet`.
 */
class ReadMark extends Given {
  readonly #isRead = true

  static isOn(value: object): boolean {
    return #isRead in value && value.#isRead
  }
}

/**
 * Remember that a message or part is as its format has it, so that it is written back as the very value that was read.
 *
 * A format calls it on each message, part and piece of content that it reads. An edit makes a copy, which is not marked.
 * Returns what it is given.
 *
 * @example
 * ```ts
 * import { asRead, isAsRead } from '@spillway/history/format'
 *
 * const part = asRead({ type: 'text', text: 'Hello' })
 * console.assert(isAsRead(part) && !isAsRead({ ...part }))
 * ```
 */
export function asRead<Value extends object>(value: Value): Value {
  return ReadMark.isOn(value) ? value : (new ReadMark(value) as object as Value)
}

/** Tell whether a message or part is the very object that a format has read, so that its native value says all of it. */
export const isAsRead = (value: object): boolean => ReadMark.isOn(value)
