import { decodeBase64, encodeBase64 } from '@spillway/text/internal'
import { isExactNumber, parseExactJson } from '@spillway/text/internal/json'
import type { HistoryMessage } from './history-message.ts'

/**
 * Converts messages of one API or framework to neutral messages, and back.
 *
 * An unchanged message is written as the same object. A changed message keeps all other fields, so that prompt caches
 * stay valid.
 *
 * @typeParam Conversation - The API's input: an array of messages, or an object with messages and a system prompt.
 */
export interface HistoryFormat<Conversation> {
  /** Name of the format, which is also the value of {@link NativeValue.format}. */
  readonly name: string
  /** Read a conversation. Throws a `TypeError` that names the message if a message is invalid. */
  read(conversation: Conversation): readonly HistoryMessage[]
  /** Write messages of this format, and system messages with only text. Throws a `TypeError` for other messages. */
  write(messages: readonly HistoryMessage[]): Conversation
  /** Convert a conversation to JSON. Defaults to {@link encodeLossless}. */
  encode?(conversation: Conversation): unknown
  /** Reverse {@link encode}. */
  decode?(value: unknown): Conversation
}

/** Serialize messages in the form of their API, so that they can be restored exactly. */
export function encodeConversation(format: HistoryFormat<unknown>, messages: readonly HistoryMessage[]): string {
  const conversation = format.write(messages)
  return JSON.stringify(format.encode?.(conversation) ?? encodeLossless(conversation), null, 2)
}

/** Parse the result of {@link encodeConversation}. Throws if the format does not accept the messages. */
export function decodeConversation(format: HistoryFormat<unknown>, json: string): readonly HistoryMessage[] {
  const value = parseExactJson(json)
  return format.read(format.decode === undefined ? decodeLossless(value) : format.decode(value))
}

/** Key of objects that encode values which JSON cannot express. Original objects with this key are wrapped too. */
const TAG = '$spillway'
/** Largest depth. `JSON.stringify` fails at some thousands of levels, and this limit is lower. */
const MAX_DEPTH = 1_000

type Tag = 'bytes' | 'buffer' | 'url' | 'date' | 'undefined' | 'bigint' | 'number' | 'object'

interface Tagged {
  readonly [TAG]: Tag
  readonly value?: unknown
}

/**
 * Convert a value to JSON that {@link decodeLossless} converts back.
 *
 * It supports `Uint8Array`, `ArrayBuffer`, `URL`, `Date`, `bigint`, `undefined`, `-0`, `NaN`, infinities and the key
 * `__proto__`. Instances of other classes become plain objects, and a `Buffer` becomes a `Uint8Array`. A value that is
 * used twice is encoded twice.
 *
 * Throws a `TypeError` for a cycle, a function, a symbol, a map, a set, or more than 1,000 levels. The error names the
 * path of the value.
 *
 * @example
 * ```ts
 * import { decodeLossless, encodeLossless } from '@spillway/history'
 *
 * const text = JSON.stringify(encodeLossless({ at: new Date(0), bytes: new Uint8Array([1, 2]) }))
 * const value = decodeLossless(JSON.parse(text)) as { at: Date; bytes: Uint8Array }
 * console.assert(value.at.getTime() === 0 && value.bytes[1] === 2)
 * ```
 */
export function encodeLossless(value: unknown): unknown {
  const path: (string | number)[] = []
  const open = new Set<object>()

  function refuse(what: string): TypeError {
    const place = path.length === 0 ? 'The value' : `The value at ${JSON.stringify(path.slice(0, 8).join('.'))}`
    return new TypeError(`${place} cannot be encoded: it is ${what}.`)
  }

  function encode(one: unknown): unknown {
    if (typeof one === 'string' || typeof one === 'boolean' || one === null) return one
    if (typeof one === 'number')
      return isJsonNumber(one) ? one : tagged('number', Object.is(one, -0) ? '-0' : String(one))
    if (typeof one === 'undefined') return tagged('undefined')
    if (typeof one === 'bigint') return tagged('bigint', String(one))
    if (typeof one !== 'object') throw refuse(`a ${typeof one}`)
    if (isExactNumber(one)) return one
    const whole = encodeWhole(one)
    if (whole !== undefined) return whole
    if (open.has(one)) throw refuse('part of itself')
    if (path.length >= MAX_DEPTH) throw refuse(`deeper than ${MAX_DEPTH} levels`)
    open.add(one)
    const encoded = Array.isArray(one) ? encodeArray(one) : encodeFields(one)
    open.delete(one)
    return encoded
  }

  function encodeWhole(one: object): Tagged | undefined {
    if (Array.isArray(one)) return undefined
    const kind = Object.prototype.toString.call(one).slice(8, -1)
    if (one instanceof Uint8Array) return tagged('bytes', encodeBase64(one))
    if (one instanceof ArrayBuffer) return tagged('buffer', encodeBase64(new Uint8Array(one)))
    if (one instanceof URL) return tagged('url', one.href)
    if (one instanceof Date) return tagged('date', encode(one.getTime()))
    if (ArrayBuffer.isView(one) || UNKNOWN_KINDS.has(kind)) throw refuse(`a ${kind}`)
    return undefined
  }

  function encodeAt(key: string | number, one: unknown): unknown {
    path.push(key)
    const encoded = encode(one)
    path.pop()
    return encoded
  }

  function encodeArray(items: readonly unknown[]): unknown[] {
    return Array.from(items, (item, at) => encodeAt(at, item))
  }

  function encodeFields(fields: object): unknown {
    const encoded = {}
    for (const [key, field] of Object.entries(fields)) define(encoded, key, encodeAt(key, field))
    return Object.hasOwn(encoded, TAG) ? tagged('object', encoded) : encoded
  }

  return encode(value)
}

/**
 * Reverse {@link encodeLossless}.
 *
 * Throws a `TypeError` for a value that {@link encodeLossless} did not write.
 *
 * @example
 * ```ts
 * import { decodeLossless, encodeLossless } from '@spillway/history'
 *
 * console.assert(Object.is(decodeLossless(encodeLossless(-0)), -0))
 * ```
 */
export function decodeLossless(value: unknown): unknown {
  return decode(value, 0)
}

function decode(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  // Each tag adds a level to the encoded value.
  if (depth > 2 * MAX_DEPTH) throw new TypeError(`The value is deeper than ${MAX_DEPTH} levels.`)
  if (Array.isArray(value)) return value.map((item: unknown) => decode(item, depth + 1))
  if (Object.hasOwn(value, TAG)) return decodeTagged(value as Tagged, depth)
  return decodeFields(value, depth)
}

function decodeFields(fields: object, depth: number): object {
  const decoded = {}
  for (const [key, field] of Object.entries(fields)) define(decoded, key, decode(field, depth + 1))
  return decoded
}

function decodeTagged({ [TAG]: tag, value }: Tagged, depth: number): unknown {
  if (tag === 'undefined') return undefined
  if (tag === 'object' && typeof value === 'object' && value !== null) return decodeFields(value, depth)
  if (tag === 'date') return new Date(decode(value, depth + 1) as number)
  if (typeof value === 'string') {
    if (tag === 'number') return Number(value)
    if (tag === 'bigint' && /^-?\d+$/.test(value)) return BigInt(value)
    if (tag === 'url') return new URL(value)
    const bytes = tag === 'bytes' || tag === 'buffer' ? decodeBase64(value) : undefined
    if (bytes !== undefined) return tag === 'bytes' ? bytes : Uint8Array.from(bytes).buffer
  }
  throw new TypeError(`The value has the unknown tag ${JSON.stringify(tag)}.`)
}

const UNKNOWN_KINDS: ReadonlySet<string> = new Set(
  'Map Set WeakMap WeakSet Promise RegExp Error Blob File SharedArrayBuffer'.split(' '),
)

const isJsonNumber = (value: number): boolean => Number.isFinite(value) && !Object.is(value, -0)

const tagged = (tag: Tag, value?: unknown): Tagged => (value === undefined ? { [TAG]: tag } : { [TAG]: tag, value })

/** Define a field. Assigning `__proto__` would change the prototype instead. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}
