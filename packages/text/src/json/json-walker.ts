import { concatBytes } from '../shared/bytes.ts'
import type { JsonName } from './decode-json-string.ts'
import { SCALAR_ENDS, SCALAR_NEXT, SCALAR_START } from './scalar-states.ts'

/** Largest depth that a walker enters. Deeper values are skipped. */
export const MAX_LEVELS = 200_000
/** Longest stored key in bytes. A longer key is cut, and never equals a name. */
export const MAX_KEY_BYTES = 65_536

/** Receives the values of a document in order. Positions are byte offsets in the content. */
export interface JsonVisitor {
  /** A value begins. Returns whether to enter an array or object. Otherwise the value is skipped without validation. */
  begin(at: number, first: number): boolean
  /** The innermost open value ended. `at` is the position after its last byte. */
  end(at: number): void
  /** All open values end, because their line is not JSON. If `isRecord`, the line still counts as a value. */
  abandon?(isRecord: boolean): void
}

const VALUE = 0
const FIRST_ITEM = 1
const FIRST_KEY = 2
const KEY = 3
const COLON = 4
const AFTER_VALUE = 5
const IN_KEY = 6
const IN_STRING = 7
const IN_SCALAR = 8
const PASSING = 9
const PASSING_STRING = 10
const FAILED = 11
const SKIPPING = 12
const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125
const LINE_FEED = 10
const RECORD_SEPARATOR = 30

/** Bytes that matter while a value is skipped: 1 for quotes, 2 for opening and 3 for closing brackets. */
const PASSED = new Uint8Array(256)
PASSED[QUOTE] = 1
for (const open of [OPEN_ARRAY, OPEN_OBJECT]) PASSED[open] = 2
for (const close of [CLOSE_ARRAY, CLOSE_OBJECT]) PASSED[close] = 3

const NO_BYTES: Uint8Array = new Uint8Array()
/** Number of bytes of a string that are checked one by one. The rest of the string is searched with `indexOf`. */
const NEAR = 48
/** Kind of a document: one value, or several values on separate lines. */
export type JsonForm = 'json' | 'json-lines'

/**
 * Walks JSON bytes in chunks and tracks the position, without creating values. The content of strings and of skipped
 * values is not validated. With `json-lines`, the values are items of one array, and other lines are skipped. Memory
 * grows with the number of open levels.
 */
export class JsonWalker {
  /** Number of open levels. In JSON Lines, the document is a level, and the lines are its items. */
  levels = 0
  /** Number of lines that are not JSON, including the lines of incomplete values. */
  skippedLines = 0
  readonly #visitor: JsonVisitor | undefined
  readonly #form: JsonForm
  #bytes: Uint8Array = NO_BYTES
  #base: number
  #at = 0
  #state = VALUE
  #scalar = SCALAR_START
  #passedLevels = 0
  /** One bit for each skipped level, the innermost first: 1 for an object. */
  #passedObjects = 0
  /** The last bytes before this chunk. */
  #tail: Uint8Array = NO_BYTES
  #isEscaped = false
  /** Positions of the next quote and line end in the chunk. Outdated if they are before the current position. */
  #quoteAt = -1
  #lineEndAt = -1

  readonly #firstLevel: number
  readonly #objects: boolean[] = []
  readonly #indexes: number[] = []
  /** For each open object, the start and end of the current key, and a copy of the key's bytes in earlier chunks. */
  readonly #keyStarts: number[] = []
  readonly #keyEnds: number[] = []
  readonly #keptKeys: (Uint8Array | undefined)[] = []
  #keptLevels = 0
  #isInEntry = false
  #hasLinesOfItems = false
  #firstRecord = 0
  #record = 0
  /** Whether the current value of JSON Lines is hidden from the visitor. */
  #isHidden = false
  #firstSkipped = 0

  /** @param base - Offset of the first chunk within the content. */
  constructor(options: {
    readonly form: JsonForm
    readonly visitor?: JsonVisitor | undefined
    readonly base?: number
  }) {
    this.#form = options.form
    this.#visitor = options.visitor
    this.#firstLevel = options.form === 'json-lines' ? 1 : 0
    this.#base = options.base ?? 0
    if (options.form === 'json-lines') this.#open(false)
  }

  /** Start a new document at position 0. Only for the form `json`. */
  restart(): void {
    this.#bytes = NO_BYTES
    this.#base = 0
    this.#at = 0
    this.#state = VALUE
    this.#isEscaped = false
    this.#quoteAt = -1
    this.#lineEndAt = -1
    this.levels = 0
    this.#keptLevels = 0
    this.#isInEntry = false
  }

  get position(): number {
    return this.#base + this.#at
  }

  get hasFailed(): boolean {
    return this.#state === FAILED
  }

  /** Position of the first byte that is not valid JSON. */
  get brokenAt(): number {
    return this.#firstRecord === 0 && this.skippedLines > 0 ? this.#firstSkipped : this.position
  }

  get isInKey(): boolean {
    return this.#state === IN_KEY
  }

  get isInString(): boolean {
    return this.#state === IN_STRING
  }

  /** Whether the bytes so far are complete: one whole value, or in JSON Lines any number of whole values. */
  get isComplete(): boolean {
    if (this.#form === 'json') return this.#state === AFTER_VALUE && this.levels === 0
    const isBetween = this.#state === AFTER_VALUE || this.#state === VALUE || this.#state === SKIPPING
    return this.levels === 1 && isBetween && (this.#firstRecord !== 0 || this.skippedLines === 0)
  }

  /** Take the next chunk. The previous chunk must have been walked to its end. */
  take(chunk: Uint8Array): void {
    this.#keepKeys()
    this.#base += this.#bytes.length
    this.#tail = this.#bytes.length < 3 ? concatBytes([this.#tail, this.#bytes]).slice(-3) : this.#bytes.slice(-3)
    this.#bytes = chunk
    this.#at = 0
    this.#quoteAt = -1
    this.#lineEndAt = -1
  }

  /** Walk up to the byte `end` of the content, or to the end of the chunk. */
  advance(end: number = Infinity): void {
    const to = Math.min(end - this.#base, this.#bytes.length)
    while (this.#at < to && this.#state !== FAILED) this.#step(to)
  }

  /** Walk to the end of the current key, or to the end of the chunk. */
  finishKey(): void {
    if (this.#state === IN_KEY) this.#step(this.#bytes.length)
  }

  /** End the content. Only the end completes a number that has no character after it. */
  finish(): void {
    if (this.#state === IN_SCALAR) this.#endScalar()
  }

  entry(level: number): { readonly index: number; readonly isObject: boolean } {
    return { index: this.#indexes[level]!, isObject: this.#objects[level]! }
  }

  /** Start of the key of the value that begins at the current position, or -1 if the value has no key. */
  get keyStart(): number {
    const level = this.levels - 1
    return level >= 0 && this.#objects[level]! ? this.#keyStarts[level]! : -1
  }

  /** Return the bytes of the current key of an object, with quotes. A key longer than `MAX_KEY_BYTES` is cut. */
  key(level: number): Uint8Array {
    const start = this.#keyStarts[level]!
    const end = this.#keyEnds[level]!
    const here = this.#bytes.subarray(Math.max(0, start - this.#base), Math.max(0, end - this.#base))
    const kept = this.#keptKeys[level]
    if (start >= this.#base) return here.subarray(0, MAX_KEY_BYTES)
    return end > this.#base ? concatBytes([kept!, here.subarray(0, MAX_KEY_BYTES)]) : kept!
  }

  isNamed(name: JsonName): boolean {
    const start = this.keyStart
    if (start < 0) return false
    return start >= this.#base
      ? name.stands(this.#bytes, start - this.#base)
      : name.stands(this.key(this.levels - 1), 0)
  }

  /** Number of levels in the current path. The innermost level counts after its first entry has started. */
  get pathLevels(): number {
    return this.#isInEntry ? this.levels : Math.max(0, this.levels - 1)
  }

  #step(to: number): void {
    switch (this.#state) {
      case IN_KEY:
      case IN_STRING:
      case PASSING_STRING:
        if (this.#passString(to)) this.#endString()
        return
      case IN_SCALAR:
        this.#walkScalar(to)
        return
      case PASSING:
        this.#pass(to)
        return
      case SKIPPING:
        this.#skipLine(to)
        return
      default:
        this.#walkStructure(to)
    }
  }

  #endString(): void {
    if (this.#state === IN_STRING) this.#endValue()
    else if (this.#state === PASSING_STRING) this.#state = PASSING
    else {
      this.#keyEnds[this.levels - 1] = this.position
      this.#isInEntry = true
      this.#state = COLON
    }
  }

  #walkStructure(to: number): void {
    const bytes = this.#bytes
    let at = this.#at
    while (at < to) {
      const byte = bytes[at]!
      if (byte <= 32 && this.#isBlank(byte)) {
        at++
        continue
      }
      if (byte === OPEN_OBJECT && this.levels > 1 && this.#isNextRecord(at, this.#objects[this.levels - 1]!)) return
      switch (this.#state) {
        case COLON:
          if (byte !== 58) return this.#fail(at)
          this.#state = VALUE
          at++
          continue
        case AFTER_VALUE: {
          const level = this.levels - 1
          if (byte === COMMA && level >= this.#firstLevel) {
            this.#state = this.#objects[level]! ? KEY : VALUE
            at++
            continue
          }
          this.#at = at
          if (level >= this.#firstLevel && byte === (this.#objects[level]! ? CLOSE_OBJECT : CLOSE_ARRAY)) this.#close()
          else if (level === 0 && this.#form === 'json-lines') this.#beginValue(byte)
          else this.#fail(at)
          break
        }
        case VALUE:
          this.#at = at
          this.#beginValue(byte)
          break
        case FIRST_ITEM:
          this.#at = at
          if (byte === CLOSE_ARRAY) this.#close()
          else this.#beginValue(byte)
          break
        default:
          this.#at = at
          if (byte === QUOTE) this.#beginKey()
          else if (byte === CLOSE_OBJECT && this.#state === FIRST_KEY) this.#close()
          else this.#fail(at)
      }
      if (this.#state > AFTER_VALUE) return
      at = this.#at
    }
    this.#at = to
  }

  #isBlank(byte: number): boolean {
    if (byte === 32 || byte === LINE_FEED || byte === 13 || byte === 9) return true
    return byte === RECORD_SEPARATOR && this.#form === 'json-lines' && this.levels === 1
  }

  #beginKey(): void {
    const level = this.levels - 1
    this.#indexes[level]!++
    this.#keyStarts[level] = this.position
    this.#keyEnds[level] = Infinity
    this.#keptKeys[level] = undefined
    if (this.#keptLevels > level) this.#keptLevels = level
    this.#at++
    this.#state = IN_KEY
  }

  #beginValue(byte: number): void {
    const level = this.levels - 1
    const isContainer = isBracket(byte)
    const scalar = SCALAR_NEXT[SCALAR_START * 256 + byte]!
    if (!isContainer && byte !== QUOTE && scalar === 0) return this.#fail(this.#at)
    if (level === 0 && this.#form === 'json-lines') {
      // If the first value is an array or object, lines that begin with a number or a word are not values.
      if (!isContainer && isBracket(this.#firstRecord)) return this.#fail(this.#at)
      this.#firstRecord ||= byte
      this.#record = byte
    }
    if (level >= 0 && !this.#objects[level]!) {
      this.#indexes[level]!++
      this.#isInEntry = true
    }
    let enters = this.#isHidden || this.#visitor === undefined || this.#visitor.begin(this.position, byte)
    if (!enters && level === 0 && byte === OPEN_ARRAY && this.#form === 'json-lines') {
      // A line that is not JSON may begin like an array. Only the end of the array shows that the line is a value.
      this.#isHidden = true
      enters = true
    }
    this.#at++
    if (byte === QUOTE) {
      this.#state = IN_STRING
    } else if (!isContainer) {
      this.#scalar = scalar
      this.#state = IN_SCALAR
    } else if (!enters) {
      this.#passedLevels = 1
      this.#passedObjects = byte === OPEN_OBJECT ? 1 : 0
      this.#state = PASSING
    } else if (this.levels >= MAX_LEVELS) {
      this.#fail(this.#at)
    } else {
      this.#open(byte === OPEN_OBJECT)
      this.#state = byte === OPEN_OBJECT ? FIRST_KEY : FIRST_ITEM
    }
  }

  #open(isObject: boolean): void {
    const level = this.levels++
    this.#objects[level] = isObject
    this.#indexes[level] = -1
    this.#keyStarts[level] = 0
    this.#keyEnds[level] = 0
    this.#keptKeys[level] = undefined
    this.#isInEntry = false
  }

  #close(): void {
    this.levels--
    if (this.#keptLevels > this.levels) this.#keptLevels = this.levels
    this.#at++
    this.#endValue()
  }

  #endValue(): void {
    this.#state = AFTER_VALUE
    this.#isInEntry = false
    if (this.levels <= this.#firstLevel) this.#isHidden = false
    if (!this.#isHidden) this.#visitor?.end(this.position)
  }

  #fail(at: number): void {
    this.#at = at
    if (this.#form === 'json') {
      this.#state = FAILED
      return
    }
    if (this.skippedLines++ === 0) this.#firstSkipped = this.position
    if (this.levels > 1 || this.#isInEntry) {
      const isRecord = this.#record === OPEN_OBJECT
      if (!isRecord && --this.#indexes[0]! < 0) this.#firstRecord = 0
      this.#visitor?.abandon?.(isRecord)
    }
    this.#isHidden = false
    this.levels = 1
    this.#keptLevels = Math.min(this.#keptLevels, 1)
    this.#isInEntry = false
    this.#state = SKIPPING
  }

  /**
   * Whether an object at a line start is the next record. Either no item can be here, or the first two records had no
   * items at line starts.
   */
  #isNextRecord(at: number, isInObject: boolean): boolean {
    if (this.#form !== 'json-lines' || this.#byteAt(at - 1) !== LINE_FEED) return false
    const last = this.#byteAt(this.#byteAt(at - 2) === 13 ? at - 3 : at - 2) ?? 0
    const mayBeItem = !isInObject && (last <= 32 || last === COMMA || last === OPEN_ARRAY)
    this.#hasLinesOfItems ||= mayBeItem && this.#indexes[0]! < 2
    if (mayBeItem && this.#hasLinesOfItems) return false
    this.#fail(at)
    this.#state = VALUE
    return true
  }

  #byteAt(at: number): number | undefined {
    return at < 0 ? this.#tail[this.#tail.length + at] : this.#bytes[at]
  }

  #skipLine(to: number): void {
    this.#at = Math.min(this.#nextLineEnd(this.#at), to)
    if (this.#at < to) this.#state = VALUE
  }

  #walkScalar(to: number): void {
    const bytes = this.#bytes
    let at = this.#at
    let state = this.#scalar
    for (; at < to; at++) {
      const next = SCALAR_NEXT[state * 256 + bytes[at]!]!
      if (next === 0) {
        this.#at = at
        this.#scalar = state
        this.#endScalar()
        return
      }
      state = next
    }
    this.#at = to
    this.#scalar = state
  }

  #endScalar(): void {
    if (SCALAR_ENDS[this.#scalar] === 1) this.#endValue()
    else this.#fail(this.#at)
  }

  #pass(to: number): void {
    const bytes = this.#bytes
    let at = this.#at
    while (at < to) {
      const meaning = PASSED[bytes[at++]!]!
      if (meaning === 0) continue
      if (meaning === 2) {
        const isObject = bytes[at - 1] === OPEN_OBJECT
        if (isObject && this.#isNextRecord(at - 1, (this.#passedObjects & 1) === 1)) return
        this.#passedLevels++
        this.#passedObjects = (this.#passedObjects << 1) | Number(isObject)
      } else if (meaning === 3) {
        this.#passedObjects >>>= 1
        if (--this.#passedLevels > 0) continue
        this.#at = at
        this.#endValue()
        return
      } else {
        this.#at = at
        this.#state = PASSING_STRING
        if (!this.#passString(to)) return
        this.#state = PASSING
        at = this.#at
      }
    }
    this.#at = at
  }

  #passString(to: number): boolean {
    const bytes = this.#bytes
    let at = this.#at
    if (this.#isEscaped && at < to) {
      at++
      this.#isEscaped = false
    }
    const near = Math.min(to, at + NEAR)
    while (at < near) {
      const byte = bytes[at]!
      if (byte === LINE_FEED && this.#form === 'json-lines') return this.#breakString(at)
      at += byte === BACKSLASH ? 2 : 1
      if (byte !== QUOTE) continue
      this.#at = at
      return true
    }
    while (at < to) {
      const quote = this.#nextQuote(at)
      const end = Math.min(quote, to)
      if (this.#form === 'json-lines' && this.#nextLineEnd(at) < end) return this.#breakString(this.#lineEndAt)
      let slash = end - 1
      while (slash >= at && bytes[slash] === BACKSLASH) slash--
      const isEscaped = (end - 1 - slash) % 2 === 1
      if (quote < to && !isEscaped) {
        this.#at = quote + 1
        return true
      }
      at = quote < to ? quote + 1 : isEscaped ? to + 1 : to
    }
    this.#isEscaped = at > to
    this.#at = to
    return false
  }

  /** Handle a line end in a string. JSON strings cannot contain line ends, so the line is not JSON. */
  #breakString(at: number): false {
    this.#fail(at)
    return false
  }

  #nextLineEnd(at: number): number {
    if (this.#lineEndAt < at) this.#lineEndAt = indexOrEnd(this.#bytes, LINE_FEED, at)
    return this.#lineEndAt
  }

  #nextQuote(at: number): number {
    if (this.#quoteAt < at) this.#quoteAt = indexOrEnd(this.#bytes, QUOTE, at)
    return this.#quoteAt
  }

  /** Copy the keys of open objects, because the bytes of their chunk are released. */
  #keepKeys(): void {
    for (let level = this.#keptLevels; level < this.levels; level++) {
      if (!this.#objects[level]! || this.#indexes[level]! < 0) continue
      const start = this.#keyStarts[level]!
      const end = Math.min(this.#keyEnds[level]!, this.#base + this.#bytes.length)
      const part = this.#bytes.slice(
        Math.max(0, start - this.#base),
        Math.min(Math.max(0, end - this.#base), Math.max(0, start - this.#base) + MAX_KEY_BYTES),
      )
      const kept = this.#keptKeys[level]
      if (kept === undefined) this.#keptKeys[level] = part
      else if (part.length > 0 && kept.length < MAX_KEY_BYTES) this.#keptKeys[level] = concatBytes([kept, part])
    }
    this.#keptLevels = this.#state === IN_KEY ? this.levels - 1 : this.levels
  }
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from)
  return found < 0 ? bytes.length : found
}

export function isBracket(byte: number | undefined): boolean {
  return byte === OPEN_ARRAY || byte === OPEN_OBJECT
}
