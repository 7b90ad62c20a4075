import { escapeEnd } from '@spillway/text/internal'
import { BLANK, CLASSES, DIGIT, ESCAPE, LOWER, MARK, PATH, UPPER } from './character-classes.ts'
import { afterTime, isErrorOfGlog, isHighLevel, isMarkedNumber, isMarkedStart, looks } from './line-marks.ts'
import { CHECKED, isTellingStart, keyAt, MARK as MARK_WORD, RULE_SETS, rulesOf, tellingWord } from './telling-words.ts'

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
        if (parts === 0 && isMarkedNumber(text, from, at, holds === 0, (holds & HAS_PATH) !== 0)) this.#call(MARK_WORD)
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
