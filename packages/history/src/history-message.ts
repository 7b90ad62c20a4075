/** The message or part as the API has it. An unchanged message or part is written as this value. */
export interface NativeValue {
  /** Name of the format, for example `openai-chat`. */
  readonly format: string
  readonly value: unknown
}

interface Native {
  readonly native?: NativeValue | undefined
}

/** Text of a message or of a tool result. */
export interface HistoryText extends Native {
  readonly type: 'text'
  readonly text: string
}

/** Reasoning of a model. Reasoning is never changed, because the provider may have signed it. */
export interface HistoryReasoning extends Native {
  readonly type: 'reasoning'
  readonly text: string
}

/** A JSON value of a tool result. */
export interface HistoryJson extends Native {
  readonly type: 'json'
  readonly value: unknown
}

/** An image, audio, video or document, as bytes, Base64 or URL. */
export interface HistoryMedia extends Native {
  readonly type: 'image' | 'audio' | 'video' | 'document'
  /** A MIME type, for example `image/png`. The type is `image/*` if the subtype is unknown. */
  readonly mediaType: string
  readonly name?: string | undefined
  readonly data?: Uint8Array | undefined
  readonly base64?: string | undefined
  readonly url?: string | undefined
}

/** A part that Spillway does not know or must not change, for example a result of a server tool. */
export interface HistoryOpaque extends Native {
  readonly type: 'opaque'
  readonly value: unknown
}

/** A tool call of the model. */
export interface HistoryToolCall extends Native {
  readonly type: 'tool-call'
  /** The id that pairs the call with its result. If an API has no ids, its format creates them. */
  readonly id: string
  readonly name: string
  /** Arguments of the call, as a value or as the JSON text that the model wrote. */
  readonly input: unknown
  /** Whether `input` is JSON text. */
  readonly inputIsText: boolean
}

/** The result of a tool call. */
export interface HistoryToolResult extends Native {
  readonly type: 'tool-result'
  readonly callId: string
  /** Name of the tool. Empty if unknown. */
  readonly toolName: string
  readonly content: readonly HistoryContent[]
  readonly isError?: boolean | undefined
}

/** A block of a tool result. */
export type HistoryContent = HistoryText | HistoryJson | HistoryMedia | HistoryOpaque

/** A part of a message. */
export type HistoryPart =
  | HistoryText
  | HistoryReasoning
  | HistoryMedia
  | HistoryOpaque
  | HistoryToolCall
  | HistoryToolResult

/** The role of a message. A message that has only tool results has the role `tool`. */
export type HistoryRole = 'system' | 'user' | 'assistant' | 'tool'

/** A message in neutral form. If its parts belong to different roles, `role` is the role in the original. */
export interface HistoryMessage extends Native {
  readonly role: HistoryRole
  readonly parts: readonly HistoryPart[]
}

const Given = function (value: object): object {
  return value
} as unknown as new (value: object) => object

/** Marks objects that a format has read, by a private field. Copies of an object do not have the private field. */
class ReadMark extends Given {
  readonly #isRead = true

  static isOn(value: object): boolean {
    return #isRead in value && value.#isRead
  }
}

/** Mark a message, part or block as read and unchanged, so that its native value is written. Copies are not marked. */
export function asRead<Value extends object>(value: Value): Value {
  return ReadMark.isOn(value) ? value : (new ReadMark(value) as object as Value)
}

/** Return whether a message or part is the same object that a format has read, not a copy. */
export const isAsRead = (value: object): boolean => ReadMark.isOn(value)

const MAX_DEPTH = 1_000

/** Compare JSON, bytes, URLs and dates. Other key orders, and values that are nested too deeply, count as different. */
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

const isSameText = (a: URL | Date, b: URL | Date): boolean =>
  a instanceof URL ? a.href === (b as URL).href : Object.is(a.getTime(), (b as Date).getTime())

export const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index])
