import { escapeEnd } from '../escape-end.ts'
import { CHECKED, isTellingStart, keyAt, MARK as MARK_WORD, RULE_SETS, rulesOf, tellingWord } from './telling-words.ts'

/** Classes of characters: those up to `DIGIT` make up words. */
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const OTHER = 4
const BLANK = 5
const PATH = 6
/** From here on, a character is more than part of a word or between words. */
const ESCAPE = 7
const MARK = 8

const CLASSES = new Uint8Array(65_536).fill(OTHER)
CLASSES.fill(LOWER, 97, 123)
CLASSES.fill(UPPER, 65, 91)
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
const SHAPE_WORDS = 4
/** How far into a line these words may stand. */
const START_UNITS = 40

/** What the words of a shape hold, beside the characters that they begin and end with. */
const HAS_LETTERS = 1
const HAS_CAPITAL = 2
const HAS_DIGIT = 4
const HAS_PATH = 8

/** Letters of a word that tell it from others. */
const KEY_LETTERS = 6

const PRIME = 0x01000193
const BASIS = 5381

/** Marks of numbers in templates: zeros stay apart, "0 failed" is not like "3 failed". */
const ZERO = 1
const NUMBER = 2
const MIXED = 3

/**
 * What can be told of a line in one look at its characters. Hashes are 32-bit integers with a sign, which engines keep
 * without a box. One object serves many lines: `read` replaces what it holds.
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
  /**
   * Hash of the words and numbers of the line, all numbers alike but for zeros, and all words that hold digits. Of a line
   * without a telling word, of its start alone.
   */
  template = 0
  /** Whether the line holds a telling word. */
  telling = false
  /** The rules that its telling words call for, as sets: see {@link rulesOf}. */
  readonly rules: Int32Array = new Int32Array(RULE_SETS)
  /** Hash of these words in their order, each with what stands after it, and of the shape. */
  crowd = 0
  #signature = 0

  /**
   * Read the line of a text between two indexes.
   *
   * @param isHit - Whether there may be a telling word beyond the start of the line; only then all of it is read.
   */
  read(text: string, start: number, end: number, isHit: boolean): void {
    if (this.telling) this.rules.fill(0)
    this.telling = false
    this.#signature = BASIS
    this.#readStart(text, start, end)
    if (isHit || this.telling) {
      const isLong = end - start > LOOKED_AT_START + LOOKED_AT_END
      this.template = this.#readWords(text, start, isLong ? start + LOOKED_AT_START : end, BASIS)
      if (isLong) this.template = this.#readWords(text, end - LOOKED_AT_END, end, this.template)
    } else this.template = this.kind ^ this.shape
    this.crowd = Math.imul(this.#signature ^ this.shape, PRIME)
  }

  /** Hash words and numbers, and look at each word. */
  #readWords(text: string, start: number, end: number, basis: number): number {
    let template = basis
    /** The template before the current run of letters and digits, and what stands there so far. */
    let base = basis
    let previous = 0
    let at = start
    while (at < end) {
      const code = text.charCodeAt(at)
      const type = CLASSES[code]!
      if (type <= UPPER) {
        // A capital after a small letter begins a word, as in "TypeError".
        const from = at++
        let hash = code
        if (type === UPPER) {
          for (; at < end; at++) {
            const next = text.charCodeAt(at)
            if (CLASSES[next] !== UPPER) break
            hash = ((hash << 5) - hash + next) | 0
          }
        }
        for (; at < end; at++) {
          const next = text.charCodeAt(at)
          if (CLASSES[next] !== LOWER) break
          hash = ((hash << 5) - hash + next) | 0
        }
        if (at - from > 2 && isTellingStart(code, text.charCodeAt(from + 1), text.charCodeAt(from + 2)))
          this.#look(text, from, at)
        if (previous === DIGIT) continue
        if (previous === 0) base = template
        template = Math.imul(template ^ hash, PRIME)
        previous = LOWER
      } else if (type === DIGIT) {
        let zero = code === 48
        while (++at < end) {
          const next = text.charCodeAt(at)
          if (CLASSES[next] !== DIGIT) break
          zero &&= next === 48
        }
        if (previous === LOWER) template = Math.imul(base ^ MIXED, PRIME)
        else if (previous === 0) template = Math.imul(template ^ (zero ? ZERO : NUMBER), PRIME)
        previous = DIGIT
      } else {
        // Of scripts other than ours, each character is a word.
        if (code > 127) template = Math.imul(template ^ code, PRIME)
        at = type < ESCAPE ? at + 1 : this.#special(text, at, end)
        previous = 0
      }
    }
    return template
  }

  /** Note a mark, or skip an escape sequence. Returns the index after it. */
  #special(text: string, at: number, end: number): number {
    if (text.charCodeAt(at) === 27) return escapeEnd(text, at, end)
    this.#call(MARK_WORD)
    return at + 1
  }

  /** Read the first words, for the kind and the shape of the line. */
  #readStart(text: string, start: number, end: number): void {
    let kind = BASIS
    let shape = BASIS
    let at = afterTime(text, start, end)
    let limit = end - at > START_UNITS ? at + START_UNITS : end
    let words = 0
    let parts = 0
    /** Of the word between blanks: what it holds, and its first and last other character. */
    let holds = 0
    let opening = 0
    let closing = 0
    /** Colons after numbers. */
    let colons = 0
    let blank = at === start
    while (at < limit && (words < KIND_WORDS || parts < SHAPE_WORDS)) {
      const code = text.charCodeAt(at)
      const type = CLASSES[code]!
      if (type <= UPPER) {
        const from = at
        let hash = code
        while (++at < limit) {
          const next = text.charCodeAt(at)
          if (CLASSES[next]! > UPPER) break
          hash = ((hash << 5) - hash + next) | 0
        }
        if (words === 0) this.#readFirst(text, start, from, at)
        if (words++ < KIND_WORDS) kind = Math.imul(kind ^ hash, PRIME)
        holds |= HAS_LETTERS | (type === UPPER ? HAS_CAPITAL : 0)
        blank = false
      } else if (type === DIGIT) {
        const from = at
        while (++at < limit && CLASSES[text.charCodeAt(at)] === DIGIT);
        if (text.charCodeAt(at) === 58) colons++
        if (parts === 0 && isMarkedNumber(text, start, from, at, holds)) this.#call(MARK_WORD)
        if (words < KIND_WORDS) kind = Math.imul(kind ^ HAS_DIGIT, PRIME)
        holds |= HAS_DIGIT
        blank = false
      } else if (type === BLANK) {
        // Indentation makes up much of JSON and code.
        while (++at < end && text.charCodeAt(at) === 32);
        // Two colons in a word of numbers were a time: the line begins after it.
        if (colons >= 2 && parts < 4) {
          kind = BASIS
          shape = BASIS
          words = 0
          parts = 0
          limit = end - at > START_UNITS ? at + START_UNITS : end
        } else if (holds !== 0 || opening !== 0) {
          shape = Math.imul(shape ^ holds ^ (opening << 8) ^ (closing << 20), PRIME)
          parts++
        }
        colons = 0
        holds = 0
        opening = 0
        closing = 0
      } else if (type === ESCAPE) at = escapeEnd(text, at, end)
      else {
        if (type === PATH) holds |= HAS_PATH
        else if (type === MARK) this.#call(MARK_WORD)
        else if (words === 0 && isMarkedStart(text, at, start, blank)) this.#call(MARK_WORD)
        if (holds === 0 && opening === 0) opening = code
        closing = code
        if (words < KIND_WORDS) kind = Math.imul(kind ^ code, PRIME)
        blank = false
        at++
      }
    }
    if (parts < SHAPE_WORDS) shape = Math.imul(shape ^ holds ^ (opening << 8) ^ (closing << 20), PRIME)
    this.blank = blank && text.slice(at, end).trim() === ''
    this.kind = kind
    this.shape = shape
  }

  /** Look whether the first word of a line tells something for being the first. */
  #readFirst(text: string, start: number, from: number, to: number): void {
    if (from === start && isErrorOfGlog(text, from)) this.#call(MARK_WORD)
    const letters = to - from < KEY_LETTERS ? to - from : KEY_LETTERS
    const word = tellingWord(keyAt(text, from, letters), letters, true)
    if (word !== 0) this.#call(word)
  }

  /** Look whether a word is a telling one. */
  #look(text: string, from: number, to: number): void {
    const letters = to - from < KEY_LETTERS ? to - from : KEY_LETTERS
    const key = keyAt(text, from, letters)
    const word = tellingWord(key, letters, false)
    if (word === 0) return
    if (word === CHECKED) {
      if (isHighLevel(text, to)) this.#call(MARK_WORD)
      return
    }
    // In a longer name or a path, such as `test_error_message`, the word reports nothing.
    const isSmall = CLASSES[text.charCodeAt(to - 1)] === LOWER
    if (isSmall && (joins(text.charCodeAt(from - 1)) || joins(text.charCodeAt(to)))) return
    this.#call(word)
    const after = looks(text.charCodeAt(to)) ^ (looks(text.charCodeAt(to + 1)) << 8)
    this.#signature = Math.imul(this.#signature ^ key ^ after ^ (looks(text.charCodeAt(to + 2)) << 16), PRIME)
  }

  /** Note the rules of a telling word. */
  #call(word: number): void {
    this.telling = true
    for (let set = 0; set < RULE_SETS; set++) this.rules[set]! |= rulesOf(word, set)
  }
}

/** Whether a character joins words to a name or a path: `_` or `/`. */
function joins(code: number): boolean {
  return code === 95 || code === 47
}

/**
 * The index after a time at the start of a line, as most loggers write it: `2024-03-03T09:15:02.120Z`, `09:15:02,120`. Other
 * times are found where the words of the line are read, which takes longer.
 */
function afterTime(text: string, start: number, end: number): number {
  const isDated = text.charCodeAt(start + 4) === 45 && text.charCodeAt(start + 7) === 45
  const clock = isDated ? start + 11 : start
  if (clock + 8 > end || text.charCodeAt(clock + 2) !== 58 || text.charCodeAt(clock + 5) !== 58) return start
  let at = clock + 8
  while (at < end && text.charCodeAt(at) > 32) at++
  return at
}

/** What a character after a word means: letters and digits differ among themselves little, zero does. */
function looks(code: number): number {
  const type = CLASSES[code] ?? OTHER
  return type <= UPPER ? 1 : type === DIGIT ? (code === 48 ? 2 : 3) : code & 255
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

/** Whether a character at the start of a line marks it: a rule, `[!]`, or the priority of an error in syslog. */
function isMarkedStart(text: string, at: number, start: number, blank: boolean): boolean {
  const code = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  if (code === 91) return next === 33
  if (code === 60) return isErrorPriority(text, at, start)
  return blank && next === code && RULES.includes(text.charAt(at))
}

/** Whether a line begins with the severity and date of an error as glog writes them: `E0303 `. */
function isErrorOfGlog(text: string, from: number): boolean {
  const severity = text.charCodeAt(from)
  if (severity !== 69 && severity !== 70) return false
  for (let at = from + 1; at < from + 5; at++) if (CLASSES[text.charCodeAt(at)] !== DIGIT) return false
  return text.charCodeAt(from + 5) === 32
}

/** Whether a line begins with the priority of an error in syslog. */
function isErrorPriority(text: string, at: number, start: number): boolean {
  if (at !== start) return false
  const priority = /^<(\d{1,3})>/.exec(text.slice(at, at + 5))
  return priority !== null && (Number(priority[1]) & 7) <= 3
}
