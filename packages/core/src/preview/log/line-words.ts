import { escapeEnd } from '../escape-end.ts'
import { CHECK_BIT, MARK_BIT, wordBits } from './signal-words.ts'

const LETTER = 1
const DIGIT = 2
const BLANK = 3
const ESCAPE = 4
const PATH = 5
const MARK = 6

const CLASSES = new Uint8Array(65_536)
CLASSES.fill(LETTER, 97, 123)
CLASSES.fill(LETTER, 65, 91)
CLASSES.fill(DIGIT, 48, 58)
for (const code of [9, 11, 12, 13, 32, 0xa0, 0xfeff]) CLASSES[code] = BLANK
CLASSES[27] = ESCAPE
for (const mark of './\\') CLASSES[mark.charCodeAt(0)] = PATH
/** Marks that test runners and tools put before what failed. */
for (const mark of '✗✘✕✖❌⨯●⚠╷┃×❯') CLASSES[mark.charCodeAt(0)] = MARK

/** Characters of which two or more at the start of a line make a rule, with a title between or after them. */
const RULES = '_=!-─═━⎯~*'

/** Of a longer line, this much of the start and of the end is looked at. */
export const LOOKED_AT_START = 800
export const LOOKED_AT_END = 240

/** Words at the start of a line that make out its kind, and words between blanks that make out its shape. */
const KIND_WORDS = 3
const SHAPE_WORDS = 5
/** How far into a line these words may stand. */
const START_UNITS = 64

/** What the words of a shape hold, beside the characters that they begin and end with. */
const HAS_LETTERS = 1
const HAS_CAPITAL = 2
const HAS_DIGIT = 4
const HAS_PATH = 8

const PRIME = 0x01000193
const BASIS = 5381

/** Marks of numbers in templates: zeros stay apart, "0 failed" is not like "3 failed". */
const ZERO = 1
const NUMBER = 2
const MIXED = 3

/** Letters of a word that tell it from others: as many as {@link wordBits} takes. */
const KEY_LETTERS = 6

/**
 * What can be told of a line in one look at its characters. One object serves many lines: `read` replaces what it holds.
 */
export class LineWords {
  /** Whether the line is of blanks alone. */
  blank = true
  /**
   * Hash of the first words, with numbers as one and times left out: lines that a program prints in the same place mostly
   * have the same kind, whatever they speak of.
   */
  kind = 0
  /** Hash of what the first words look like: letters, numbers, paths. */
  shape = 0
  /** Hash of the words and numbers of the line, all numbers alike but for zeros, and all words that hold digits. */
  template = 0
  /** The words that signals need, as bits: see {@link wordBits}. */
  bits = 0
  /** Hash of these words in their order, each with what stands after it, and of the shape. */
  crowd = 0
  #signature = 0

  read(text: string, start: number, end: number): void {
    this.template = BASIS
    this.#signature = BASIS
    this.bits = 0
    let limit = end - start > LOOKED_AT_START + LOOKED_AT_END ? start + LOOKED_AT_START : end
    let at = this.#readStart(text, start, limit)
    for (;;) {
      this.#readOn(text, at, limit)
      if (limit === end) break
      limit = end
      at = end - LOOKED_AT_END
    }
    this.template >>>= 0
    this.crowd = Math.imul(this.#signature ^ this.shape, PRIME) >>> 0
  }

  /** Read the first words, for the kind and shape of the line. Returns where the others begin. */
  #readStart(text: string, start: number, end: number): number {
    let kind = BASIS
    let shape = BASIS
    let limit = end - start > START_UNITS ? start + START_UNITS : end
    let words = 0
    let parts = 0
    /** Of the word between blanks: what it holds, and its first and last other character. */
    let holds = 0
    let opening = 0
    let closing = 0
    /** Colons after numbers. */
    let colons = 0
    let blank = true
    let at = start
    while (at < limit && (words < KIND_WORDS || parts < SHAPE_WORDS)) {
      const code = text.charCodeAt(at)
      const type = CLASSES[code]!
      if (type === LETTER || type === DIGIT) {
        blank = false
        const before = this.template
        const next = this.#word(text, at, end, words === 0)
        if (type === LETTER) {
          if (at === start && isErrorOfGlog(text, at, next)) this.bits |= MARK_BIT
          holds |= HAS_LETTERS | ((code & 32) === 0 ? HAS_CAPITAL : 0)
          if (words < KIND_WORDS) kind = Math.imul(kind ^ this.template ^ before, PRIME)
          words++
        } else {
          const after = text.charCodeAt(next)
          if (after === 58) colons++
          if (words < KIND_WORDS) kind = Math.imul(kind ^ HAS_DIGIT, PRIME)
          if (parts === 0 && isMarkedNumber(text, start, at, next, holds)) this.bits |= MARK_BIT
          holds |= HAS_DIGIT
        }
        at = next
      } else if (type === BLANK) {
        // Two colons in a word of numbers were a time: the line begins after it.
        if (colons >= 2 && parts < 4) {
          kind = BASIS
          shape = BASIS
          words = 0
          parts = 0
          limit = end - at > START_UNITS ? at + START_UNITS : end
        } else if (holds !== 0 || opening !== 0) {
          if (parts++ < SHAPE_WORDS) shape = Math.imul(shape ^ holds ^ (opening << 8) ^ (closing << 20), PRIME)
        }
        colons = 0
        holds = 0
        opening = 0
        closing = 0
        // Indentation makes up much of JSON and code.
        while (++at < end && text.charCodeAt(at) === 32);
      } else if (type === ESCAPE) at = escapeEnd(text, at, end)
      else {
        if (type === PATH) holds |= HAS_PATH
        else if (type === MARK) this.bits |= MARK_BIT
        else if (words === 0) {
          const next = text.charCodeAt(at + 1)
          if (blank && next === code && RULES.includes(text.charAt(at))) this.bits |= MARK_BIT
          else if (code === 91 && next === 33) this.bits |= MARK_BIT
          else if (code === 60 && isErrorPriority(text, at, start)) this.bits |= MARK_BIT
        }
        if (holds === 0 && opening === 0) opening = code
        closing = code
        if (words < KIND_WORDS) kind = Math.imul(kind ^ code, PRIME)
        blank = false
        at++
      }
    }
    if (parts < SHAPE_WORDS) shape = Math.imul(shape ^ holds ^ (opening << 8) ^ (closing << 20), PRIME)
    this.blank = blank && (at === end || text.slice(at, end).trim() === '')
    this.kind = kind >>> 0
    this.shape = shape >>> 0
    return at
  }

  /** Read the words from an index on. */
  #readOn(text: string, from: number, end: number): void {
    let at = from
    while (at < end) {
      const code = text.charCodeAt(at)
      const type = CLASSES[code]!
      if (type === LETTER || type === DIGIT) at = this.#word(text, at, end, false)
      else if (type === ESCAPE) at = escapeEnd(text, at, end)
      else {
        if (type === MARK) this.bits |= MARK_BIT
        // Of scripts other than ours, each character is a word.
        else if (code > 127) this.template = Math.imul(this.template ^ code, PRIME)
        at++
      }
    }
  }

  /** Read a run of letters and digits. Returns where it ends. */
  #word(text: string, from: number, end: number, isFirst: boolean): number {
    let hash = BASIS
    let key = 0
    let letters = 0
    let lower = 0
    let digits = 0
    let bits = 0
    let at = from
    for (; at < end; at++) {
      const code = text.charCodeAt(at)
      const type = CLASSES[code]!
      if (type === LETTER) {
        const small = code & 32
        // A capital after a small letter begins a word, as in "TypeError".
        if (small < lower && letters > 0) {
          bits |= wordBits(key, letters, isFirst)
          key = 0
          letters = 0
        }
        lower = small
        if (letters < KEY_LETTERS) {
          key = (key << 5) | (code & 31)
          letters++
        }
        hash = Math.imul(hash ^ code, PRIME)
      } else if (type === DIGIT) digits |= code === 48 ? ZERO : NUMBER
      else break
    }
    if (letters > 0) bits |= wordBits(key, letters, isFirst)
    if (digits === 0) this.template = Math.imul(this.template ^ hash, PRIME)
    else this.template = Math.imul(this.template ^ (hash !== BASIS ? MIXED : digits === ZERO ? ZERO : NUMBER), PRIME)
    if (bits !== 0) this.#found(bits, key, text, from, at, lower !== 0)
    return at
  }

  /** Note a telling word and what stands after it. */
  #found(bits: number, key: number, text: string, from: number, at: number, isSmall: boolean): void {
    if ((bits & CHECK_BIT) !== 0 && isHighLevel(text, at)) this.bits |= MARK_BIT
    // In a longer name or a path, such as `test_error_message`, the word reports nothing.
    if ((bits & ~CHECK_BIT) === 0 || (isSmall && (joins(text.charCodeAt(from - 1)) || joins(text.charCodeAt(at)))))
      return
    this.bits |= bits & ~CHECK_BIT
    const after = looks(text.charCodeAt(at)) ^ (looks(text.charCodeAt(at + 1)) << 8)
    this.#signature = Math.imul(this.#signature ^ key ^ after ^ (looks(text.charCodeAt(at + 2)) << 16), PRIME)
  }
}

/** Whether a character joins words to a name or a path: `_` or `/`. */
function joins(code: number): boolean {
  return code === 95 || code === 47
}

/** What a character after a word means: letters and digits differ among themselves little, zero does. */
function looks(code: number): number {
  const type = CLASSES[code]
  return type === LETTER ? 1 : type === DIGIT ? (code === 48 ? 2 : 3) : code & 255
}

/**
 * Whether there stands after `level` a number from 50 up, as pino and bunyan write it for errors, or after `HTTP` a
 * version and a status from 500 up.
 */
function isHighLevel(text: string, from: number): boolean {
  if (text.charCodeAt(from + 4) === 34 && text.charCodeAt(from + 6) === 53) return true
  let at = from
  while (at < from + 4 && isSeparator(text.charCodeAt(at))) at++
  const code = text.charCodeAt(at)
  return at > from && (code === 53 || code === 54) && text.charCodeAt(at + 1) === 48
}

/** A double quote, colon, equals sign or blank. */
function isSeparator(code: number): boolean {
  return code === 34 || code === 58 || code === 61 || code === 32
}

/**
 * Whether a number in the first word of a line marks it: `1) ` before a failed test, the line in `src/a.c:118:12:` or
 * `a.cs(3,5)`.
 */
function isMarkedNumber(text: string, start: number, from: number, to: number, holds: number): boolean {
  const after = text.charCodeAt(to)
  if (after === 41 && holds === 0) return true
  const before = text.charCodeAt(from - 1)
  const opens = (before === 58 || before === 40) && from > start
  return opens && (holds & HAS_PATH) !== 0 && (after === 58 || after === 44 || after === 41 || after === 32)
}

/** Whether a line begins with the severity and date of an error as glog writes them: `E0303 `. */
function isErrorOfGlog(text: string, from: number, to: number): boolean {
  const severity = text.charCodeAt(from)
  return to - from === 5 && text.charCodeAt(to) === 32 && (severity === 69 || severity === 70)
}

/** Whether a line begins with the priority of an error in syslog. */
function isErrorPriority(text: string, at: number, start: number): boolean {
  if (at !== start) return false
  const priority = /^<(\d{1,3})>/.exec(text.slice(at, at + 5))
  return priority !== null && (Number(priority[1]) & 7) <= 3
}
