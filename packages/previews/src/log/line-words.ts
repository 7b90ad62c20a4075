import { escapeEnd } from '@spillway/text/internal'
import { BLANK, CLASSES, DIGIT, ESCAPE, LOWER, MARK, UPPER } from './character-classes.ts'
import { afterTime } from './after-time.ts'
import { severityOf, type Severity } from './severity.ts'

/** Words of a line that are read at most. */
export const MOST_WORDS = 64
/** Of a longer line, this much of the start and of the end is read. */
const START_UNITS = 800
const END_UNITS = 240

/** Words that make out the kind of a line, and its shape. */
const KIND_WORDS = 3
const SHAPE_WORDS = 12
/** Characters of punctuation that make out the skeleton of a line. */
const SKELETON_MARKS = 6

const PRIME = 0x01000193
const BASIS = 5381

/** Stand for numbers; zero stays apart, since "0 failed" is not like "3 failed". */
export const ZERO = 1
export const NUMBER = 2
/** Stands for letters and digits in one word. */
const MIXED = 3
/** Set in the word that stands for punctuation. */
const PUNCTUATION = 0x40000000

/**
 * The words of one line, as hashes: 32-bit integers with a sign, which engines keep without a box. One object serves many
 * lines: `read` replaces what it holds.
 */
export class LineWords {
  /** Hashes of the words in their order: lower case, `camelCase` split, numbers alike. */
  readonly words: Int32Array = new Int32Array(MOST_WORDS)
  count = 0
  /** Whether the line is of blanks alone. */
  blank = true
  /** Hashes of the first 3 words, of the first 12, and of all. */
  kind = 0
  shape = 0
  template = 0
  /** Hash of the line's punctuation: lines of one form have the same, whatever they speak of. */
  skeleton = 0
  severity: Severity = 0
  /** Index of the word that tells the severity, from the start of the line. */
  at = 0
  /** Whether an escape sequence colors a part red. */
  red = false
  /** Words up to the one that tells the severity. */
  #severityCount = 0

  /** Read the line of a text between two indexes. */
  read(text: string, start: number, end: number): void {
    this.count = 0
    this.kind = BASIS
    this.shape = BASIS
    this.template = BASIS
    this.skeleton = BASIS
    this.severity = 0
    this.#severityCount = 0
    this.at = 0
    this.red = false
    this.blank = true
    const from = afterTime(text, start, end)
    const isLong = end - from > START_UNITS + END_UNITS
    this.#readPart(text, start, from, isLong ? from + START_UNITS : end)
    if (isLong) this.#readPart(text, start, end - END_UNITS, end)
    if (this.count < SHAPE_WORDS) this.shape = this.template
    if (this.count < KIND_WORDS) this.kind = this.template
    if (this.blank) this.blank = text.slice(start, end).trim() === ''
  }

  #readPart(text: string, start: number, from: number, end: number): void {
    let marks = 0
    let at = from
    while (at < end) {
      const code = text.charCodeAt(at)
      const type = CLASSES[code]!
      if (type <= DIGIT) at = this.#readWord(text, start, at, end)
      else if (type === BLANK) at++
      else if (type === ESCAPE) {
        const after = escapeEnd(text, at, end)
        if (!this.red && isRed(text, at, after)) this.red = true
        at = after
      } else {
        if (this.count === 0 || type === MARK) {
          // What a line begins with tells much: a rule, a bullet, a mark of a test runner.
          let last = at + 1
          while (last < end && text.charCodeAt(last) === code) last++
          this.#add(PUNCTUATION | code | (last - at > 2 ? 0x10000 : 0))
          at = last - 1
        }
        if (marks < SKELETON_MARKS && code > 47) {
          this.skeleton = Math.imul(this.skeleton ^ code, PRIME)
          marks++
        }
        at++
      }
    }
  }

  /** Read a word that begins at an index. Returns the index after it. */
  #readWord(text: string, start: number, from: number, end: number): number {
    let at = from
    let hash = 0
    const first = text.charCodeAt(at)
    let type = CLASSES[first]!
    if (type === DIGIT) {
      let zero = first === 48
      while (++at < end && (type = CLASSES[text.charCodeAt(at)]!) === DIGIT) zero = false
      if (at === end || type > UPPER) {
        // "errors: 0" reports none.
        if (zero && this.count > 0 && this.count === this.#severityCount) this.severity = 0
        this.#add(zero ? ZERO : NUMBER)
      } else at = this.#endMixed(text, at, end)
      return at
    }
    // A capital after a small letter begins a word, as in "TypeError"; so does the last of some, as in "HTTPError".
    let code = first
    let before = 0
    while (type === UPPER) {
      before = hash
      hash = ((hash << 5) - hash + (code | 32)) | 0
      if (++at === end) break
      code = text.charCodeAt(at)
      type = CLASSES[code]!
    }
    if (type === LOWER && at < end && at - from > 1) {
      at--
      hash = before
    } else {
      while (type === LOWER) {
        hash = ((hash << 5) - hash + code) | 0
        if (++at === end) break
        code = text.charCodeAt(at)
        type = CLASSES[code]!
      }
      if (at < end && type === DIGIT) return this.#endMixed(text, at, end)
    }
    if (this.severity === 0 && at - from > 1) {
      const severity = severityOf(hash)
      if (severity !== 0 && !isNamed(text, from, at) && this.words[this.count - 1] !== ZERO) {
        this.severity = severity
        this.at = from - start
        this.#severityCount = this.count + 1
      }
    }
    this.#add(hash)
    return at
  }

  #endMixed(text: string, from: number, end: number): number {
    let at = from
    while (at < end && CLASSES[text.charCodeAt(at)]! <= DIGIT) at++
    this.#add(MIXED)
    return at
  }

  #add(word: number): void {
    this.blank = false
    this.template = Math.imul(this.template ^ word, PRIME)
    if (this.count === MOST_WORDS) return
    this.words[this.count++] = word
    if (this.count === KIND_WORDS) this.kind = this.template
    if (this.count === SHAPE_WORDS) this.shape = this.template
  }
}

const shared = new LineWords()

/** The severity that a line tells. */
export function severityOfLine(line: string): Severity {
  shared.read(line, 0, line.length)
  return shared.severity
}

/** Whether a word is part of a name or a path, such as `test_error_message`, and reports nothing. */
function isNamed(text: string, from: number, to: number): boolean {
  const before = text.charCodeAt(from - 1)
  const after = text.charCodeAt(to)
  return before === 95 || before === 47 || after === 95 || after === 47
}

/** Whether an escape sequence turns what follows red: `ESC[31m`, `ESC[1;91m`. */
function isRed(text: string, from: number, to: number): boolean {
  if (text.charCodeAt(to - 1) !== 109 || to - from > 12) return false
  return /^\u001b\[(?:\d{1,2};)*[39]1m|;5;(?:1|9|160|196)m$/.test(text.slice(from, to))
}
