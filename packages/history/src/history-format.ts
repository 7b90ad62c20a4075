import { decodeBase64, encodeBase64 } from '@spillway/text/internal'
import { isExactNumber, parseExactJson } from '@spillway/text/internal/json'
import type { HistoryMessage } from './history-message.ts'

/**
 * Read the messages of one API or framework as neutral ones, and write them back.
 *
 * Writing is lossless: a message that was not changed comes back as the very object that was read, and of one that was
 * changed every field and part but the changed ones. So prompt caches keep what comes before a change.
 *
 * @typeParam Conversation - What the API takes: an array of messages, or where the system prompt is apart an object of both.
 */
export interface HistoryFormat<Conversation> {
  /** Stands in {@link NativeValue.format}. */
  readonly name: string
  /** Read a conversation. Throws a `TypeError` that names the message where it is none of this format. */
  read(conversation: Conversation): readonly HistoryMessage[]
  /** Write messages that this format has read, and system messages of text. Throws a `TypeError` for any other. */
  write(messages: readonly HistoryMessage[]): Conversation
  /** Turn a conversation into a JSON value that {@link decode} turns back. Defaults to one that keeps bytes, URLs and dates. */
  encode?(conversation: Conversation): unknown
  /** Undo {@link encode}. */
  decode?(value: unknown): Conversation
}

/** Write messages as JSON, as their format has them, by which they can be read again exactly. */
export function encodeConversation(format: HistoryFormat<unknown>, messages: readonly HistoryMessage[]): string {
  const conversation = format.write(messages)
  return JSON.stringify(format.encode?.(conversation) ?? encodeLossless(conversation), null, 2)
}

/** Undo {@link encodeConversation}. Throws where the text is none of this format. */
export function decodeConversation(format: HistoryFormat<unknown>, json: string): readonly HistoryMessage[] {
  const value = parseExactJson(json)
  return format.read(format.decode === undefined ? decodeLossless(value) : format.decode(value))
}

/** An object that has this key stands for something that JSON has no form for; one that had it before is wrapped as well. */
const TAG = '$spillway'
/** JSON.stringify gives up at some thousands of levels, depending on the stack that is left. */
const MAX_DEPTH = 1_000

type Tag = 'bytes' | 'buffer' | 'url' | 'date' | 'undefined' | 'bigint' | 'number' | 'object'

interface Tagged {
  readonly [TAG]: Tag
  readonly value?: unknown
}

/**
 * Turn a value into one that JSON keeps, and that {@link decodeLossless} turns back.
 *
 * Beside what JSON has, `Uint8Array`, `ArrayBuffer`, `URL`, `Date`, `bigint`, `undefined`, `-0` and the numbers that are
 * none come back as they were, and keys such as `__proto__` stay keys. Instances of other classes come back as objects of
 * their fields, a `Buffer` as a `Uint8Array`, and holes of arrays as `undefined`. What is shared comes back more than once.
 *
 * Throws a `TypeError` that names the place for cycles, for more than 1,000 levels, and for functions, symbols, maps, sets
 * and other objects whose content is not in their fields.
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
 * Turn back what {@link encodeLossless} has made.
 *
 * Throws a `TypeError` for a value that it has not made, such as one of more levels or with an unknown tag.
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
  // A tag adds a level to its value.
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
  throw new TypeError(`The value has a tag ${JSON.stringify(tag)} that encodeLossless does not write.`)
}

const UNKNOWN_KINDS: ReadonlySet<string> = new Set([
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Promise',
  'RegExp',
  'Error',
  'Blob',
  'File',
  'SharedArrayBuffer',
])

const isJsonNumber = (value: number): boolean => Number.isFinite(value) && !Object.is(value, -0)

const tagged = (tag: Tag, value?: unknown): Tagged => (value === undefined ? { [TAG]: tag } : { [TAG]: tag, value })

/** Assigning `__proto__` would change the prototype instead of making a key. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}
