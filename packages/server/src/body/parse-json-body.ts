import { HttpError } from '../app/http-error.ts'

/** Limits of a JSON body. */
export interface JsonLimits {
  /** The nesting of arrays and objects. */
  readonly maxJsonDepth: number
  /** The number of values, each of which needs memory. */
  readonly maxJsonValues: number
}

interface ParseOptions extends JsonLimits {
  /** Parses a part. Defaults to `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined
  /** Larger values are parsed in parts. */
  readonly pieceBytes?: number | undefined
}

const SLICE_MS = 8
/** A timer where the runtime has nothing faster. */
const nextTurn = (): Promise<void> => new Promise((resolve) => void (globalThis.setImmediate ?? setTimeout)(resolve))

/**
 * Parse a JSON body in UTF-8, without holding the event loop; the last of equal keys wins.
 *
 * Rejects with an `HttpError` `invalid-json` or `too-large`.
 */
export async function parseJsonBody(bytes: Uint8Array, options: ParseOptions): Promise<unknown> {
  try {
    const steps = new JsonPieces(bytes, options).parse()
    for (let begin = performance.now(); ;) {
      const { done, value } = steps.next()
      if (done === true) return value
      if (performance.now() - begin < SLICE_MS) continue
      await nextTurn()
      begin = performance.now()
    }
  } catch (error) {
    // The parser's message would quote the body.
    if (error instanceof SyntaxError) throw new HttpError('invalid-json', 'The body is no JSON.', { cause: error })
    if (error instanceof TypeError) throw new HttpError('invalid-json', 'The body is not UTF-8.', { cause: error })
    throw error
  }
}

const PIECE_BYTES = 65_536
/** Members of the body and of each of its fields, which are validated. Deeper values are content. */
const MAX_MEMBERS = 10_000
const LEVELS_OF_FEW_MEMBERS = 2

const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d])
const COLON_ALONE = /^[ \t\n\r]*:[ \t\n\r]*$/
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const LETTER_U = 0x75
const tableOf = (marks: string): Uint8Array => {
  const table = new Uint8Array(256)
  for (const byte of new TextEncoder().encode(marks)) table[byte] = 1
  return table
}
const IS_MARK: Uint8Array = tableOf('",:[]{}')
const IS_MARK_IN_STRING: Uint8Array = tableOf('"\\\\')
const ESCAPE_BYTES = 6

/** An array or object that is open where the scan is. */
interface Frame {
  readonly isArray: boolean
  readonly start: number
  /** Where the members begin that are not parsed yet. */
  rest: number
  members: number
  /** The parsed members, if there are any. */
  value?: unknown[] | Record<string, unknown>
  /** The positions of the quotes of the current member's key. */
  key?: { readonly start: number; readonly end: number } | undefined
  /** Whether the last member is parsed: a comma or the end must follow. */
  isAfterValue: boolean
}

/** Scans JSON once, and puts each value that is larger than a piece together from parsed parts. */
class JsonPieces {
  readonly #bytes: Uint8Array
  /** Where the text begins. */
  readonly #first: number
  readonly #options: Required<{ readonly [Name in keyof ParseOptions]: NonNullable<ParseOptions[Name]> }>
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #frames: Frame[] = []
  #values = 1
  #hasRoot = false
  #root: { readonly value: unknown; readonly end: number } | undefined

  constructor(bytes: Uint8Array, { parse = JSON.parse, pieceBytes = PIECE_BYTES, ...limits }: ParseOptions) {
    this.#bytes = bytes
    this.#first = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0
    this.#options = { ...limits, parse, pieceBytes }
  }

  /** Yields after each piece. */
  *parse(): Generator<void, unknown> {
    const bytes = this.#bytes
    const { pieceBytes } = this.#options
    const first = this.#first
    let next = first + pieceBytes
    let mark = first
    let quote = -1
    for (let at = first; at < bytes.length; at += 1) {
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
      if (quote >= 0) {
        yield* this.#endString(quote, at)
        quote = -1
        mark = at
        continue
      }
      // A number or blanks of any length would be parsed at once.
      this.#assertShort(mark, at)
      mark = at
      if (byte === QUOTE) {
        quote = at
        if (this.#frames.length === 0) this.#beginRoot()
      } else if (byte === COMMA) this.#endMember(at)
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.#open(at, byte === OPEN_ARRAY)
      else if (byte !== COLON) this.#close(at, byte === CLOSE_ARRAY)
    }
    this.#assertShort(mark, bytes.length)
    if (this.#frames.length > 0 || quote >= 0) throw new SyntaxError('The JSON ends early.')
    if (this.#root === undefined) return this.#options.parse(this.#text(first, bytes.length))
    this.#assertBlank(this.#root.end, bytes.length)
    return this.#root.value
  }

  #beginRoot(): void {
    if (this.#hasRoot) throw new SyntaxError('There is more than one value.')
    this.#hasRoot = true
  }

  #open(at: number, isArray: boolean): void {
    const { maxJsonDepth } = this.#options
    if (this.#frames.length === 0) this.#beginRoot()
    this.#frames.push({ isArray, start: at, rest: at + 1, members: 1, isAfterValue: false })
    if (this.#frames.length > maxJsonDepth)
      throw new HttpError('invalid-json', `The JSON is nested deeper than ${maxJsonDepth} levels.`)
    this.#count()
  }

  #endMember(at: number): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) throw new SyntaxError('There is more than one value.')
    this.#count()
    frame.members += 1
    if (frame.members > MAX_MEMBERS && this.#frames.length <= LEVELS_OF_FEW_MEMBERS)
      throw new HttpError('too-large', `The body and each of its fields may have ${MAX_MEMBERS} members.`)
    frame.key = undefined
    if (!frame.isAfterValue && at - frame.rest <= this.#options.pieceBytes) return
    this.#parseRest(frame, at)
    frame.rest = at + 1
    frame.isAfterValue = false
  }

  #close(at: number, isArray: boolean): void {
    const frame = this.#frames.pop()
    if (frame?.isArray !== isArray) throw new SyntaxError('A bracket is not closed.')
    if (frame.value === undefined && at - frame.start <= this.#options.pieceBytes) return
    this.#parseRest(frame, at)
    this.#attach(frame.value, frame.start, at + 1)
  }

  *#endString(start: number, end: number): Generator<void> {
    const frame = this.#frames.at(-1)
    const isKey = frame?.isArray === false && frame.key === undefined
    if (isKey) frame.key = { start, end }
    if (end - start <= this.#options.pieceBytes) return
    if (isKey) throw new HttpError('too-large', 'A key of the JSON is too long.')
    let value = ''
    for (let from = start + 1; from < end;) {
      const to = this.#cut(from, end)
      value += String(JSON.parse(`"${this.#text(from, to)}"`))
      from = to
      yield
    }
    this.#attach(value, start, end + 1)
  }

  /** Return where a part of a string may end: not within a character or an escape. */
  #cut(from: number, end: number): number {
    const bytes = this.#bytes
    let to = from + this.#options.pieceBytes
    if (to >= end) return end
    for (let back = 0; back < 3 && (bytes[to]! & 0xc0) === 0x80; back += 1) to -= 1
    const last = bytes.subarray(Math.max(from, to - ESCAPE_BYTES + 1), to).lastIndexOf(BACKSLASH)
    if (last < 0) return to
    const escape = Math.max(from, to - ESCAPE_BYTES + 1) + last
    let backslashes = 1
    while (escape - backslashes >= from && bytes[escape - backslashes] === BACKSLASH) backslashes += 1
    const length = bytes[escape + 1] === LETTER_U ? ESCAPE_BYTES : 2
    return backslashes % 2 === 1 && escape + length > to ? escape : to
  }

  /** Put a parsed value where it belongs. */
  #attach(value: unknown, start: number, end: number): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) {
      this.#assertBlank(this.#first, start)
      this.#root = { value, end }
      return
    }
    if (frame.isAfterValue) throw new SyntaxError('A comma is missing.')
    const { key } = frame
    const before = this.#endOfText(frame.rest, key?.start ?? start)
    if (before > frame.rest) {
      if (this.#bytes[before - 1] !== COMMA) throw new SyntaxError('A comma is missing.')
      this.#parseMembers(frame, before - 1)
    }
    frame.value ??= frame.isArray ? [] : {}
    if (Array.isArray(frame.value)) frame.value.push(value)
    else {
      if (key === undefined || !COLON_ALONE.test(this.#text(key.end + 1, start)))
        throw new SyntaxError('A key is missing.')
      setOwn(frame.value, String(JSON.parse(this.#text(key.start, key.end + 1))), value)
    }
    frame.rest = end
    frame.isAfterValue = true
  }

  #parseRest(frame: Frame, end: number): void {
    if (frame.isAfterValue) this.#assertBlank(frame.rest, end)
    else this.#parseMembers(frame, end)
  }

  #parseMembers(frame: Frame, end: number): void {
    const text = this.#text(frame.rest, end)
    const parsed = this.#options.parse(frame.isArray ? `[${text}]` : `{${text}}`)
    const members = Array.isArray(parsed) ? parsed : Object.entries(parsed as object)
    // Without a member, there is a comma too many.
    if (members.length === 0 && frame.members > 1) throw new SyntaxError('A value is missing.')
    frame.value ??= frame.isArray ? [] : {}
    if (Array.isArray(frame.value)) for (const one of members as readonly unknown[]) frame.value.push(one)
    else for (const [name, one] of members as readonly (readonly [string, unknown])[]) setOwn(frame.value, name, one)
  }

  #count(): void {
    const { maxJsonValues } = this.#options
    this.#values += 1
    if (this.#values > maxJsonValues)
      throw new HttpError('too-large', `The JSON has more than ${maxJsonValues} values.`)
  }

  #assertShort(start: number, end: number): void {
    if (end - start > this.#options.pieceBytes) throw new SyntaxError('A number, a word or a space is too long.')
  }

  #assertBlank(start: number, end: number): void {
    if (this.#endOfText(start, end) > start) throw new SyntaxError('A comma is missing, or the end.')
  }

  #endOfText(start: number, end: number): number {
    let last = end
    while (last > start && BLANKS.has(this.#bytes[last - 1])) last -= 1
    return last
  }

  #text(start: number, end: number): string {
    return this.#decoder.decode(this.#bytes.subarray(start, end))
  }
}

/** Return the position of the next mark, or `end` or beyond: this loop takes most of the time. */
function indexOfMark(isMark: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && at < bytes.length && isMark[bytes[at]!] === 0) at += 1
  return at < bytes.length ? at : Math.max(at, end)
}

/** As `JSON.parse`, also for `__proto__`. */
function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
  else target[name] = value
}
