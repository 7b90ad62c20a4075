import { yieldWhenDue } from '@spillway/core/adapter'
import { HttpError } from '../app/http-error.ts'

/** Limits of the structure of a JSON body. */
export interface JsonLimits {
  /** Limit of the depth of arrays and objects. */
  readonly maxJsonDepth: number
  /** Limit of the number of values, because each needs memory. */
  readonly maxJsonValues: number
}

interface ParseOptions extends JsonLimits {
  readonly caller?: unknown
  /** Parses a part of the JSON. Defaults to `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined
  /** Size in bytes above which a value is parsed in parts. */
  readonly pieceBytes?: number | undefined
}

/** Parse a UTF-8 body in parts. The last value of a repeated key is used. Rejects with `invalid-json` or `too-large`. */
export async function parseJsonBody(bytes: Uint8Array, options: ParseOptions): Promise<unknown> {
  try {
    const steps = parsePieces(bytes, options)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value
      await yieldWhenDue(options.caller)
    }
  } catch (error) {
    // The message of the parser is left out, because it would quote the body.
    if (error instanceof SyntaxError)
      throw new HttpError('invalid-json', 'The body is not valid JSON.', { cause: error })
    if (error instanceof TypeError) throw new HttpError('invalid-json', 'The body is not UTF-8.', { cause: error })
    throw error
  }
}

const PIECE_BYTES = 65_536
/** Limit of the members of the body and of each of its fields. Deeper values have no such limit. */
const MAX_MEMBERS = 10_000
const LEVELS_OF_FEW_MEMBERS = 2

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const LETTER_U = 0x75
const ESCAPE_BYTES = 6

const tableOf = (marks: string): Uint8Array => {
  const table = new Uint8Array(256)
  for (const byte of new TextEncoder().encode(marks)) table[byte] = 1
  return table
}
const IS_MARK: Uint8Array = tableOf('",:[]{}')
const IS_MARK_IN_STRING: Uint8Array = tableOf('"\\')

/** An open array or object. The outermost is an array whose only member is the body. */
interface Frame {
  readonly isArray: boolean
  readonly start: number
  members: number
  /** Text before `rest` that is not parsed yet. Placeholders in it stand for large values that are parsed. */
  text: string
  rest: number
  /** The members parsed so far, if the value is parsed in parts. */
  value?: unknown[] | Record<string, unknown>
}

/** Scans JSON once. A value larger than `pieceBytes` is parsed in parts. */
function* parsePieces(
  bytes: Uint8Array,
  { parse = JSON.parse, pieceBytes = PIECE_BYTES, maxJsonDepth, maxJsonValues }: ParseOptions,
): Generator<void, unknown> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const frames: Frame[] = []
  /** Parsed large values, by the random placeholders that replace them in the text. */
  const large = new Map<string, unknown>()
  const marker: string = `${crypto.randomUUID()} `
  let values = 1
  const start = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0
  const body: Frame = { isArray: true, start, members: 1, text: '', rest: start }

  function open(at: number, isArray: boolean): void {
    frames.push({ isArray, start: at, members: 1, text: '', rest: at + 1 })
    if (frames.length > maxJsonDepth)
      throw new HttpError('invalid-json', `The JSON is nested deeper than ${maxJsonDepth} levels.`)
    count()
  }

  function endMember(at: number): void {
    const frame = frames.at(-1)
    if (frame === undefined) throw new SyntaxError('The JSON contains more than one value.')
    count()
    frame.members += 1
    if (frame.members > MAX_MEMBERS && frames.length <= LEVELS_OF_FEW_MEMBERS)
      throw new HttpError('too-large', `The body and each of its fields may have at most ${MAX_MEMBERS} members.`)
    if (frame.text === '' && at - frame.rest <= pieceBytes) return
    parseMembers(frame, at)
    frame.rest = at + 1
  }

  function close(at: number, isArray: boolean): void {
    const frame = frames.pop()
    if (frame?.isArray !== isArray) throw new SyntaxError('The JSON has a bracket without its counterpart.')
    if (frame.value === undefined && at - frame.start <= pieceBytes) return
    parseMembers(frame, at)
    setAside(frame.value, frame.start, at + 1)
  }

  /** Replace a large value by a placeholder, and parse the value. */
  function setAside(value: unknown, start: number, end: number): void {
    const frame = frames.at(-1) ?? body
    const mark = `${marker}${large.size}`
    large.set(mark, value)
    frame.text += `${textOf(frame.rest, start)}${JSON.stringify(mark)}`
    frame.rest = end
  }

  function parseMembers(frame: Frame, end: number): void {
    const text = `${frame.text}${textOf(frame.rest, end)}`
    frame.text = ''
    const parsed = parse(frame.isArray ? `[${text}]` : `{${text}}`)
    frame.value ??= frame.isArray ? [] : {}
    let members = 0
    for (const [name, member] of Object.entries(parsed as object)) {
      members += 1
      const value: unknown = isMark(member) ? large.get(member) : member
      if (Array.isArray(frame.value)) frame.value.push(value)
      else if (isMark(name)) throw new HttpError('too-large', 'A key of the JSON is too long.')
      else setOwn(frame.value, name, value)
    }
    // An empty member means a superfluous comma or an empty body.
    if (members === 0 && (frame.members > 1 || frame === body)) throw new SyntaxError('A value of the JSON is missing.')
  }

  function isMark(value: unknown): value is string {
    return typeof value === 'string' && large.has(value)
  }

  function* joinString(start: number, end: number): Generator<void, string> {
    let value = ''
    for (let from = start; from < end;) {
      const to = cut(from, end)
      value += String(JSON.parse(`"${textOf(from, to)}"`))
      from = to
      yield
    }
    return value
  }

  /** Return the end of a part of a string. It is never within a character or an escape. */
  function cut(from: number, end: number): number {
    let to = from + pieceBytes
    if (to >= end) return end
    for (let back = 0; back < 3 && (bytes[to]! & 0xc0) === 0x80; back += 1) to -= 1
    const near = Math.max(from, to - ESCAPE_BYTES + 1)
    const last = bytes.subarray(near, to).lastIndexOf(BACKSLASH)
    if (last < 0) return to
    const escape = near + last
    let backslashes = 1
    while (escape - backslashes >= from && bytes[escape - backslashes] === BACKSLASH) backslashes += 1
    const length = bytes[escape + 1] === LETTER_U ? ESCAPE_BYTES : 2
    return backslashes % 2 === 1 && escape + length > to ? escape : to
  }

  function count(): void {
    values += 1
    if (values > maxJsonValues) throw new HttpError('too-large', `The JSON has more than ${maxJsonValues} values.`)
  }

  function assertShort(start: number, end: number): void {
    if (end - start > pieceBytes)
      throw new SyntaxError('The JSON has a number, a word or white space that is too long.')
  }

  function textOf(start: number, end: number): string {
    return decoder.decode(bytes.subarray(start, end))
  }

  let next = body.start + pieceBytes
  let last = body.start
  let quote = -1
  for (let at = body.start; at < bytes.length; at += 1) {
    at = indexOfMark(quote < 0 ? IS_MARK : IS_MARK_IN_STRING, bytes, at, next)
    if (at >= next) {
      yield
      next = at + pieceBytes
      at -= 1
      continue
    }
    const byte = bytes[at]
    if (byte === BACKSLASH) {
      at += 1
      continue
    }
    // A long number or long blanks would be parsed in one step, so their length is limited.
    if (quote < 0) assertShort(last, at)
    last = at
    if (quote >= 0) {
      if (at - quote > pieceBytes) setAside(yield* joinString(quote + 1, at), quote, at + 1)
      quote = -1
    } else if (byte === QUOTE) quote = at
    else if (byte === COMMA) endMember(at)
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) open(at, byte === OPEN_ARRAY)
    else if (byte !== COLON) close(at, byte === CLOSE_ARRAY)
  }
  assertShort(last, bytes.length)
  if (frames.length > 0 || quote >= 0) throw new SyntaxError('The JSON is incomplete.')
  parseMembers(body, bytes.length)
  return (body.value as unknown[])[0]
}

/** Return the position of the next mark; `end` or more without a mark. This loop takes most of the time. */
function indexOfMark(isMark: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && at < bytes.length && isMark[bytes[at]!] === 0) at += 1
  return at < bytes.length ? at : Math.max(at, end)
}

/** Set a field like `JSON.parse` does, even a field named `__proto__`. */
function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
  else target[name] = value
}
