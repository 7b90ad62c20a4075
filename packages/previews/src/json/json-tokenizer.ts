import { TextCodes } from '@spillway/text/internal'
import type { JsonBreak, JsonSink } from './json-scan.ts'

/** Length of a string, in UTF-16 units, from which it is passed on in parts. */
const LONG_STRING_UNITS = 16_384
/** Small chunks are joined up to this length, in UTF-16 units, before they are read. */
const GATHERED_UNITS = 32_768
/** Matches the start of an array, but not `[INFO] done`. A match has fewer than `ARRAY_START_UNITS` units. */
const ARRAY_START = /\[\s{0,40}(?:["'[\]{\d-]|true\b|false\b|null\b)/y
const ARRAY_START_UNITS = 64
const LONGEST_NAME = 1_024
const LINE_FEED = 10
const BACKSLASH = 92
const QUOTE = 34
const APOSTROPHE = 39

const WORD = 1
const NUMBER = 2

/** Characters that start a number or a word, by code. */
const STARTS: Uint8Array = new Uint8Array(128)
/** Characters within a number or a word, by code. */
const INNER: Uint8Array = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$') {
  STARTS[char.charCodeAt(0)] = WORD
  INNER[char.charCodeAt(0)] = 1
}
for (const char of '0123456789+-.') {
  STARTS[char.charCodeAt(0)] = NUMBER
  INNER[char.charCodeAt(0)] = 1
}

/** Words of JSON, and the corresponding words of JavaScript and Python. */
const WORDS: ReadonlySet<string> = new Set('true false null undefined NaN Infinity True False None nan inf'.split(' '))

/** Whether a character is a rare blank, the byte order mark, or the separator of RFC 7464. */
function isBlank(code: number): boolean {
  return code === 13 || code === 9 || code === 0xfeff || code === 0x1e || code === 0xa0
}

/**
 * Reads JSON values (RFC 8259) from chunks of any size, and passes on their parts.
 *
 * Accepts comments, trailing commas, single quotes, and bare keys (JSON5), Python output, JSONP, prefixes such as
 * `)]}',`, record separators (RFC 7464), and lines between values. If each value has its own line, an incomplete value
 * ends with its line. Otherwise, reading stops at the error. Memory only grows by one bit for each level of depth.
 */
export class JsonTokenizer {
  values = 0
  /** Whether an incomplete value ends with its line. */
  byLine = false
  /** Whether every value is on one line. */
  oneLine = true
  abandoned = 0
  hasSingleQuotes = false
  /** Number of UTF-16 units in the lines between values that are not JSON. */
  strayUnits = 0
  broken: JsonBreak | undefined
  line = 1
  /** Number of open levels, which is above 0 at the end of an incomplete text. */
  depth = 0
  readonly #sink: JsonSink
  readonly #textCodes: TextCodes
  #codes: Uint16Array = new Uint16Array(0)
  #pending = ''
  #origin = 0
  readonly #nesting = new Nesting()
  #inObject = false
  /** Whether a key was read, and its value follows. */
  #keyed = false
  /** The text to skip: to the end of the line, of the comment, or of the text. */
  #skip: '' | 'line' | 'comment' | 'all' = ''
  /** Quote character of a long string that is open, or 0. */
  #long = 0
  #longKey = false
  #escaped = false
  #startLine = 0

  /** @param codes - Tokenizers may share an instance if they do not read at the same time. */
  constructor(sink: JsonSink, codes: TextCodes = new TextCodes()) {
    this.#sink = sink
    this.#textCodes = codes
  }

  skipPrefix(text: string): void {
    this.#countLines(text, 0, text.length)
    this.#origin += text.length
  }

  push(text: string): void {
    this.#pending = this.#pending === '' ? text : this.#pending + text
    if (this.#pending.length >= GATHERED_UNITS) this.#flush(false)
  }

  finish(): void {
    this.#flush(true)
    if (this.#long !== 0 && !this.#longKey) this.#sink.closeString()
  }

  #flush(last: boolean): void {
    const text = this.#pending
    this.#sink.reading?.(text, this.#origin)
    const end = this.#read(text, last)
    this.#sink.read?.(end)
    this.#origin += end
    this.#pending = end === text.length ? '' : text.slice(end)
  }

  /**
   * Read all complete tokens of a text, or the whole text if it is the last. Returns the position after the last token.
   */
  #read(text: string, last: boolean): number {
    const end = text.length
    this.#codes = this.#textCodes.of(text)
    let at = 0
    while (at < end) {
      const from = at
      if (this.#long !== 0) at = this.#readLong(text, at)
      else if (this.#skip !== '') {
        at = this.#readSkipped(text, at)
        if (at < 0) return last ? end : end - 1
      } else {
        at = this.#readTokens(text, at, last)
        if (at === from && this.#long === 0 && this.#skip === '') return at
      }
    }
    return end
  }

  /** Read tokens up to an incomplete token, a long string, or skipped text. Returns the position. */
  #readTokens(text: string, from: number, last: boolean): number {
    const codes = this.#codes
    const end = text.length
    let at = from
    while (at < end) {
      const code = codes[at]!
      if (code === 32) {
        at++
        while (at < end && codes[at] === 32) at++
      } else if (code === QUOTE || code === APOSTROPHE) {
        const next = this.#readString(text, at, code, last)
        if (next < 0) return at
        at = next
        if (this.#long !== 0 || this.#skip !== '') return at
      } else if (code === 44) {
        at++
      } else if (code === 58) {
        if (this.depth > 0 && !this.#keyed) return this.#break(at)
        at++
      } else if (code === LINE_FEED) {
        this.line++
        at++
        if (this.byLine && this.depth > 0) this.#abandon(this.#origin + at)
      } else if (code === 123 || code === 91) {
        if (this.#inObject && !this.#keyed) return this.#break(at)
        if (code === 91 && this.depth === 0 && this.values > 0) {
          if (end - at < ARRAY_START_UNITS && !last) return at
          ARRAY_START.lastIndex = at
          if (!ARRAY_START.test(text)) return this.#break(at)
        }
        this.#open(code === 123, at)
        at++
      } else if (code === 125 || code === 93) {
        // Before the first value, a bracket belongs to a prefix like `)]}'`. Browsers do not run such JSON as a script.
        if (this.depth > 0) {
          if ((code === 125) !== this.#inObject) return this.#break(at)
          this.#close(at)
        }
        at++
      } else if (code < 128 && STARTS[code] !== 0) {
        const next = this.#readWord(text, at, last)
        if (next < 0) return at
        at = next
        if (this.#skip !== '') return at
      } else if (code === 47) {
        return this.#readSlash(text, at, last)
      } else if (isBlank(code) || (this.depth === 0 && (code === 40 || code === 41 || code === 59))) {
        // Parentheses and the semicolon of JSONP.
        at++
      } else return this.#break(at)
    }
    return at
  }

  #readSlash(text: string, at: number, last: boolean): number {
    if (at + 1 >= text.length && !last) return at
    const next = text.charCodeAt(at + 1)
    if (next === 42) this.#skip = 'comment'
    else if (next === 47 && this.depth > 0) this.#skip = 'line'
    else return this.#break(at)
    return at + 2
  }

  #open(isObject: boolean, at: number): void {
    if (this.depth === 0) this.#begin()
    this.#nesting.set(this.depth, this.#inObject)
    this.depth++
    this.#inObject = isObject
    this.#keyed = false
    this.#sink.open(isObject, this.#origin + at, this.line)
  }

  #close(at: number): void {
    this.depth--
    this.#inObject = this.#nesting.get(this.depth)
    this.#keyed = false
    this.#sink.close(this.#origin + at + 1, this.line)
    if (this.depth === 0) this.#ended()
  }

  #begin(): void {
    if (this.values > 1 && this.oneLine && this.line > this.#startLine) this.byLine = true
    this.values++
    this.#startLine = this.line
  }

  #ended(): void {
    if (this.line > this.#startLine) this.oneLine = false
  }

  #abandon(offset: number): void {
    this.abandoned++
    this.depth = 0
    this.#inObject = false
    this.#keyed = false
    this.#sink.abandon?.(offset)
  }

  /** Handle an error. If it is between values, or if each value is on its own line, skip the line. */
  #break(at: number): number {
    if (this.depth === 0 && this.values > 0) {
      this.#sink.stray?.(this.line)
      this.#skip = 'line'
      return at
    }
    if (this.byLine) {
      this.#abandon(this.#origin + at)
      this.#skip = 'line'
      return at
    }
    this.broken = { offset: this.#origin + at, line: this.line }
    this.#skip = 'all'
    return at
  }

  /** Return the position after the skipped text, or -1 if more text is needed. */
  #readSkipped(text: string, at: number): number {
    if (this.#skip === 'line') {
      const newline = text.indexOf('\n', at)
      const end = newline < 0 ? text.length : newline
      if (this.depth === 0) this.strayUnits += end - at
      if (newline >= 0) this.#skip = ''
      return end
    }
    if (this.#skip === 'all') {
      this.#countLines(text, at, text.length)
      return text.length
    }
    const close = text.indexOf('*/', at)
    if (close >= 0) {
      this.#skip = ''
      this.#countLines(text, at, close)
      return close + 2
    }
    if (text.endsWith('*')) {
      this.#countLines(text, at, text.length - 1)
      return -1
    }
    this.#countLines(text, at, text.length)
    return text.length
  }

  #countLines(text: string, from: number, to: number): void {
    for (let at = from; at < to; at++) if (text.charCodeAt(at) === LINE_FEED) this.line++
  }

  /** Read a string. Returns the position after the string, or -1 if the string is incomplete. */
  #readString(text: string, at: number, quote: number, last: boolean): number {
    if (this.depth === 0 && (this.values > 0 || quote !== QUOTE)) return this.values > 0 ? this.#break(at) : at + 1
    this.hasSingleQuotes ||= quote === APOSTROPHE
    const codes = this.#codes
    const start = at + 1
    const end = text.length
    let index = start
    let newline = end
    let newlines = 0
    for (; index < end; index++) {
      let code = codes[index]!
      if (code === quote) break
      if (code === BACKSLASH && ++index < end) code = codes[index]!
      if (code === LINE_FEED && newlines++ === 0) newline = index
    }
    index = Math.min(index, end)
    if (this.byLine && newline < index) return this.#break(newline)
    if (index >= end && !last && end - start < LONG_STRING_UNITS) return -1
    const isKey = this.#inObject && !this.#keyed
    if (this.depth === 0) this.#begin()
    if (index - start >= LONG_STRING_UNITS || index >= end) {
      this.#long = quote
      this.#longKey = isKey
      this.#escaped = false
      if (isKey) this.#key(text, start, Math.min(start + LONGEST_NAME, end), at)
      else this.#sink.openString(this.#origin + at, this.line)
      return start
    }
    if (isKey) this.#key(text, start, index, at)
    else {
      this.#sink.string(text, start, index, this.#origin + at, this.line)
      this.#valueEnds()
    }
    this.line += newlines
    return index + 1
  }

  #readLong(text: string, at: number): number {
    const quote = this.#long
    const end = Math.min(text.length, at + LONG_STRING_UNITS)
    let index = at
    if (this.#escaped) index++
    this.#escaped = false
    for (; index < end; index++) {
      const code = this.#codes[index]!
      if (code === quote) break
      if (code === BACKSLASH) {
        if (index + 1 >= end) this.#escaped = true
        index++
      } else if (code === LINE_FEED) {
        if (this.byLine) return this.#endLong(text, at, index)
        this.line++
      }
    }
    const stop = Math.min(index, end)
    if (!this.#longKey) this.#sink.stringPart(text, at, stop)
    if (index >= end) return end
    this.#long = 0
    if (!this.#longKey) {
      this.#sink.closeString()
      this.#valueEnds()
    }
    return stop + 1
  }

  /** End a long string that is incomplete at the end of its line. */
  #endLong(text: string, at: number, newline: number): number {
    if (!this.#longKey) {
      this.#sink.stringPart(text, at, newline)
      this.#sink.closeString()
    }
    this.#long = 0
    return this.#break(newline)
  }

  #readWord(text: string, at: number, last: boolean): number {
    const codes = this.#codes
    const end = text.length
    let index = at + 1
    while (index < end && codes[index]! < 128 && INNER[codes[index]!] !== 0) index++
    if (index >= end && !last && index - at <= LONGEST_NAME) return -1
    if (index - at > LONGEST_NAME) return this.#break(at)
    // Outside of values, only the name of a JSONP function is valid.
    if (this.depth === 0) return codes[index] === 40 && this.values === 0 ? index + 1 : this.#break(at)
    if (this.#inObject && !this.#keyed) {
      this.#key(text, at, index, at)
      return index
    }
    const code = codes[at]!
    if (STARTS[code] === NUMBER && (index - at > 1 || code >= 48)) {
      this.#sink.plain(text, at, index, this.#origin + at, this.line, true)
    } else if (WORDS.has(text.slice(at, index))) {
      this.#sink.plain(text, at, index, this.#origin + at, this.line, false)
    } else return this.#break(at)
    this.#valueEnds()
    return index
  }

  #key(text: string, start: number, end: number, at: number): void {
    this.#sink.key(text, start, end, this.#origin + at, this.line)
    this.#keyed = true
  }

  #valueEnds(): void {
    this.#keyed = false
    if (this.depth === 0) this.#ended()
  }
}

/** Stores one bit for each open level. */
class Nesting {
  readonly #bits: number[] = []

  /** Set the bit of a level. The level may be at most one above the highest level so far. */
  set(level: number, bit: boolean): void {
    const slot = level >> 5
    const mask = 1 << (level & 31)
    const bits = this.#bits[slot] ?? 0
    this.#bits[slot] = bit ? bits | mask : bits & ~mask
  }

  get(level: number): boolean {
    return ((this.#bits[level >> 5]! >>> (level & 31)) & 1) === 1
  }
}
