/** Finds values in the bytes of a JSON text without parsing them. */
import { isExactNumber } from '@spillway/core/adapter'
import { isAscii } from 'node:buffer'

/** A byte range of a file; `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface JsonMember {
  readonly key: string
  /** The start of its key. */
  readonly start: number
  readonly value: Span
}

/** Invalid JSON at a byte. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError'
  readonly offset: number

  constructor(offset: number) {
    super(`The text is no JSON at byte ${offset}.`)
    this.offset = offset
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Find the members of the object at `start` without validating their values. */
export function membersAt(bytes: Uint8Array, start: number): { readonly members: JsonMember[]; readonly end: number } {
  const members: JsonMember[] = []
  const end = eachPart(bytes, start, CLOSE_BRACE, (at) => {
    if (bytes[at] !== QUOTE) throw new JsonTextError(at)
    const keyEnd = stringEnd(bytes, at)
    const colon = skipBlanks(bytes, keyEnd)
    if (bytes[colon] !== COLON) throw new JsonTextError(colon)
    const value = valueAt(bytes, skipBlanks(bytes, colon + 1))
    members.push({ key: keyOf(bytes, at, keyEnd), start: at, value })
    return value.end
  })
  return { members, end }
}

/** Find the items of the array at `start` without validating them. */
export function itemsAt(bytes: Uint8Array, start: number): { readonly items: Span[]; readonly end: number } {
  const items: Span[] = []
  const end = eachPart(bytes, start, CLOSE_BRACKET, (at) => {
    const item = valueAt(bytes, at)
    items.push(item)
    return item.end
  })
  return { items, end }
}

/** Return the end of white space at an offset. */
export function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && isBlank(bytes[at]!)) at += 1
  return at
}

function eachPart(bytes: Uint8Array, start: number, close: number, readPart: (at: number) => number): number {
  let at = skipBlanks(bytes, start + 1)
  if (bytes[at] === close) return at + 1
  for (;;) {
    at = skipBlanks(bytes, readPart(at))
    if (bytes[at] === close) return at + 1
    if (bytes[at] !== COMMA) throw new JsonTextError(at)
    at = skipBlanks(bytes, at + 1)
  }
}

function valueAt(bytes: Uint8Array, start: number): Span {
  const first = bytes[start]
  if (first === QUOTE) return { start, end: stringEnd(bytes, start) }
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    let end = start
    while (end < bytes.length && !isDelimiter(bytes[end]!)) end += 1
    if (end === start) throw new JsonTextError(start)
    return { start, end }
  }
  let depth = 0
  for (let at = start; at < bytes.length;) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = stringEnd(bytes, at)
      continue
    }
    at += 1
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
    if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return { start, end: at }
  }
  throw new JsonTextError(bytes.length)
}

function stringEnd(bytes: Uint8Array, start: number): number {
  for (let from = start + 1; ;) {
    const quote = bytes.indexOf(QUOTE, from)
    if (quote < 0) throw new JsonTextError(bytes.length)
    let backslashes = 0
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
    from = quote + 1
  }
}

function keyOf(bytes: Uint8Array, start: number, end: number): string {
  try {
    return JSON.parse(new TextDecoder().decode(bytes.subarray(start, end))) as string
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonTextError(start)
    throw error
  }
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const isDelimiter = (byte: number): boolean =>
  isBlank(byte) || byte === COMMA || byte === COLON || byte === CLOSE_BRACE || byte === CLOSE_BRACKET

/** The formatting of a JSON file. */
export interface JsonStyle {
  /** `undefined` if values are on one line. */
  readonly indent: string | undefined
  /** Precedes every line but the first. */
  readonly margin: string
  /** Whether one-line values have blanks after commas and colons, as in Python. */
  readonly isSpaced: boolean
  /** Whether other characters than ASCII are escaped, as in Python. */
  readonly isAscii: boolean
  readonly eol: string
}

/** Detects whether a file escapes all characters beyond ASCII. */
export class AsciiGuess {
  #hasOthers = false
  #hasEscapes = false

  /** Inspect a chunk of the file. */
  add(bytes: Uint8Array): void {
    this.#hasOthers ||= !isAscii(bytes)
    if (this.#hasOthers || this.#hasEscapes) return
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#hasEscapes = text.includes('\\u') && /\\u(?!00[0-7])[\da-f]{4}/i.test(text.toString('latin1'))
  }

  /** Complete a style; Python's has both blanks and escapes. */
  complete(style: JsonStyle): JsonStyle {
    return {
      ...style,
      isAscii: !this.#hasOthers && (this.#hasEscapes || (style.isSpaced && style.indent === undefined)),
    }
  }
}

export function jsonStyleOf(text: string, margin = ''): JsonStyle {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const inner = /^\{\r?\n([ \t]*)"/.exec(text)?.[1]
  const indent = inner === undefined ? undefined : inner.slice(margin.length) || undefined
  const isSpaced = /^\{\s*"(?:[^"\\]|\\.)*": /.test(text)
  return { indent, margin, isSpaced, isAscii: false, eol }
}

/** Serialize a value in the formatting of its file. */
export function writeJson(value: unknown, { indent, margin, isSpaced, isAscii: escapes, eol }: JsonStyle): string {
  const text =
    isSpaced && indent === undefined
      ? writeSpaced(value)
      : JSON.stringify(value, undefined, indent).replaceAll('\n', eol + margin)
  return escapes ? text.replaceAll(/[\u0080-\uffff]/g, escaped) : text
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

function writeSpaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item: unknown) => writeSpaced(item ?? null)).join(', ')}]`
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${writeSpaced(member)}`).join(', ')}}`
}
