/** A message or part as one format has it, kept so that what was not changed is written back as the very same value. */
export interface NativeValue {
  /** The name of the format, such as `openai-chat`. */
  readonly format: string
  readonly value: unknown
}

/** What every part may carry. */
interface Native {
  readonly native?: NativeValue | undefined
}

/** Text of a message or of a tool result. */
export interface HistoryText extends Native {
  readonly type: 'text'
  readonly text: string
}

/** What a model thought, as far as its provider shows it. It is never changed, as signatures may cover it. */
export interface HistoryReasoning extends Native {
  readonly type: 'reasoning'
  readonly text: string
}

/** A JSON value of a tool result. */
export interface HistoryJson extends Native {
  readonly type: 'json'
  readonly value: unknown
}

/** An image, sound, video or document: as bytes, as base64 as it came, or by URL. */
export interface HistoryMedia extends Native {
  readonly type: 'image' | 'audio' | 'video' | 'document'
  /** A MIME type, such as `image/png`; one such as `image/*` where only that is known. */
  readonly mediaType: string
  /** A file name, where one is known. */
  readonly name?: string | undefined
  readonly data?: Uint8Array | undefined
  readonly base64?: string | undefined
  readonly url?: string | undefined
}

/** What Spillway does not know, or must not touch, such as the results of tools that the provider runs itself. */
export interface HistoryOpaque extends Native {
  readonly type: 'opaque'
  readonly value: unknown
}

/** A call of a tool by the model. */
export interface HistoryToolCall extends Native {
  readonly type: 'tool-call'
  /** Pairs it with its result. Made up by the reader where the format has none, then unique within the history. */
  readonly id: string
  readonly name: string
  /** The arguments: a value, or the JSON text of it, exactly as the model wrote it, where the format keeps that. */
  readonly input: unknown
  /** Whether `input` is JSON text. */
  readonly inputIsText: boolean
}

/** What a tool returned. */
export interface HistoryToolResult extends Native {
  readonly type: 'tool-result'
  /** The id of the call. */
  readonly callId: string
  /** The tool's name, from the call where the format does not repeat it; empty where nothing tells. */
  readonly toolName: string
  readonly content: readonly HistoryContent[]
  readonly isError?: boolean | undefined
}

/** A piece of a tool result. */
export type HistoryContent = HistoryText | HistoryJson | HistoryMedia | HistoryOpaque

/** A part of a message. */
export type HistoryPart =
  | HistoryText
  | HistoryReasoning
  | HistoryMedia
  | HistoryOpaque
  | HistoryToolCall
  | HistoryToolResult

/** Who speaks: results of tools are of the role `tool`, also where an API has them in messages of the user. */
export type HistoryRole = 'system' | 'user' | 'assistant' | 'tool'

/**
 * A message of a conversation, in the form that all formats are read into and written from.
 *
 * There is one for each message or item of the format, in the same order. A message of several kinds of parts has the role
 * that its format gives it, such as `user` for one of Anthropic with results of tools and text.
 *
 * @example
 * ```ts
 * import type { HistoryMessage } from '@spillway/history'
 *
 * const messages: HistoryMessage[] = [
 *   { role: 'user', parts: [{ type: 'text', text: 'Why did the build fail?' }] },
 *   { role: 'assistant', parts: [{ type: 'tool-call', id: 'call_1', name: 'read_log', input: {}, inputIsText: false }] },
 *   {
 *     role: 'tool',
 *     parts: [{ type: 'tool-result', callId: 'call_1', toolName: 'read_log', content: [{ type: 'text', text: 'ok' }] }],
 *   },
 * ]
 * console.assert(messages.length === 3)
 * ```
 */
export interface HistoryMessage extends Native {
  readonly role: HistoryRole
  readonly parts: readonly HistoryPart[]
}

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

const MAX_DEPTH = 1_000

/**
 * Tell whether two values of messages are the same: equal JSON with its keys in the same order, and equal bytes, URLs and
 * dates. Values nested too deep to be compared are different.
 */
export function isEqualValue(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > MAX_DEPTH) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (a instanceof Uint8Array) return isEqualBytes(a, b as Uint8Array)
  if (a instanceof ArrayBuffer) return isEqualBytes(new Uint8Array(a), new Uint8Array(b as ArrayBuffer))
  if (a instanceof URL || a instanceof Date) return isSameText(a, b as typeof a)
  const keys = Object.keys(a)
  const others = Object.keys(b)
  if (keys.length !== others.length) return false
  return keys.every(
    (key, index) =>
      key === others[index] &&
      isEqualValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], depth + 1),
  )
}

function isEqualBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** Of an invalid date there is only one. */
const isSameText = (a: URL | Date, b: URL | Date): boolean =>
  a instanceof URL ? a.href === (b as URL).href : Object.is(a.getTime(), (b as Date).getTime())

/** Tell whether two lists have the very same items. */
export const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index])
