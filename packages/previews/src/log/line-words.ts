import { escapeEnd, TextCodes } from '@spillway/text/internal'

/** Classes of characters. The classes up to `DIGIT` are parts of words. */
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const OTHER = 4
const BLANK = 5
const PATH = 6
/** Classes from here on are special characters. */
const ESCAPE = 7
const MARK = 8
/** Class of each UTF-16 unit. */
const CLASSES: Uint8Array = new Uint8Array(65_536).fill(OTHER)
CLASSES.fill(LOWER, 97, 123)
CLASSES.fill(UPPER, 65, 91)
CLASSES.fill(DIGIT, 48, 58)
/** Letters of other scripts count as lowercase. In scripts without spaces, adjacent letters count as one word. */
CLASSES.fill(LOWER, 0xc0, 0x2000)
CLASSES.fill(LOWER, 0x3040, 0xd800)
for (const code of [9, 11, 12, 13, 32, 0xa0, 0xfeff]) CLASSES[code] = BLANK
CLASSES[27] = ESCAPE
for (const mark of './\\') CLASSES[mark.charCodeAt(0)] = PATH
/** Marks that test runners and tools write before failures. */
for (const mark of '✗✘✕✖❌⨯●⚠╷┃×❯') CLASSES[mark.charCodeAt(0)] = MARK

/** Return the position after a time at the start of a line, for example `2024-03-03T09:15:02.120Z`, or `start`. */
export function afterTime(codes: Uint16Array, start: number, end: number): number {
  const isDated = codes[start + 4] === 45 && codes[start + 7] === 45
  const clock = isDated ? start + 11 : start
  if (clock + 8 > end || codes[clock + 2] !== 58 || codes[clock + 5] !== 58) return start
  let at = clock + 8
  while (at < end && codes[at]! > 32) at++
  return at
}

/** Return the hash of a word. Uppercase and lowercase ASCII letters are equal. */
export function hashWord(text: string, from = 0, to: number = text.length): number {
  let hash = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    hash = ((hash << 5) - hash + (CLASSES[code] === UPPER ? code | 32 : code)) | 0
  }
  return hash
}

/** Severity of a line, or 0 if the line has none. */
export type Severity = 0 | typeof ERROR | typeof WARNING | typeof INFO | typeof OK

export const ERROR = 1
export const WARNING = 2
export const INFO = 3
export const OK = 4

const WORDS: ReadonlyArray<readonly [Exclude<Severity, 0>, string]> = [
  [
    ERROR,
    'error errors err fatal fail failed failure failures fails panic panicked critical severe exception aborted crashed',
  ],
  [WARNING, 'warning warnings warn deprecated'],
  [INFO, 'info note notice debug trace verbose'],
  [OK, 'ok pass passed success successful succeeded'],
]

const SEVERITIES: ReadonlyMap<number, Severity> = new Map(
  WORDS.flatMap(([severity, words]) => words.split(' ').map((word) => [hashWord(word), severity] as const)),
)

/** Filter by the last bits of hashes. Most words are excluded without a lookup in the map. */
const MASK = 1_023
const MARKED = new Uint8Array(MASK + 1)
for (const word of SEVERITIES.keys()) MARKED[word & MASK] = 1

export const MOST_WORDS = 64
/** Number of UTF-16 units that are read at each end of a long line. */
const START_UNITS = 800
const END_UNITS = 240
/** Number of words that define the kind of a line, and number that define its shape. */
const KIND_WORDS = 3
const SHAPE_WORDS = 12
/** Number of punctuation characters that define the skeleton of a line. */
const SKELETON_MARKS = 6
const PRIME = 0x01000193
const BASIS = 5381

/** Hashes of numbers. Zero has a separate hash, because "0 failed" differs from "3 failed". */
export const ZERO = 1
export const NUMBER = 2
/** Hash of a word with letters and digits. */
const MIXED = 3
/** Bit that is set in the hashes of punctuation. */
const PUNCTUATION = 0x40000000

/** Words of one line as signed 32-bit hashes, which engines store efficiently. Each `read` replaces the words. */
export class LineWords {
  /** Words in order and in lowercase. `camelCase` is split into words, and all numbers except zero are equal. */
  readonly words: Int32Array = new Int32Array(MOST_WORDS)
  count = 0
  blank = true
  /** Hash of the first 3 words. `shape` is the hash of the first 12 words, and `template` is the hash of all words. */
  kind = 0
  shape = 0
  template = 0
  /** Hash of the first punctuation characters. Lines of the same form have the same hash. */
  skeleton = 0
  severity: Severity = 0
  /** Whether the line reports the severity, and does not only mention the word, as in "see the error log". */
  reports = false
  /** Position of the word with the severity, in UTF-16 units from the start of the line. */
  at = 0
  /** Whether an escape sequence makes a part of the line red. */
  red = false

  read(text: string, start: number, end: number, codes: Uint16Array): void {
    const { words } = this
    let count = 0
    let kind = 0
    let shape = 0
    let template = BASIS
    let skeleton = BASIS
    let marks = 0
    let severity: Severity = 0
    let severityAt = 0
    let severityCount = 0
    let reports = false
    /** Whether no word was read yet, and the line is not indented. Details and documents are indented. */
    let isFirst = start < end && CLASSES[codes[start]!] !== BLANK
    let red = false
    let hasWords = false
    let at = afterTime(codes, start, end)
    const isLong = end - at > START_UNITS + END_UNITS
    let stop = isLong ? at + START_UNITS : end
    for (;;) {
      if (at >= stop) {
        if (stop === end) break
        at = end - END_UNITS
        stop = end
        marks = 0
        continue
      }
      let code = codes[at]!
      let type = CLASSES[code]!
      if (type === BLANK) {
        at++
        continue
      }
      let word = MIXED
      if (type <= UPPER) {
        const from = at
        let hash = 0
        // An uppercase letter after a lowercase letter begins a word, as in "TypeError". So does the last uppercase
        // letter before a lowercase letter, as in "HTTPError".
        let before = 0
        while (type === UPPER) {
          before = hash
          hash = ((hash << 5) - hash + (code | 32)) | 0
          if (++at === stop) break
          code = codes[at]!
          type = CLASSES[code]!
        }
        if (type === LOWER && at < stop && at - from > 1) {
          at--
          hash = before
          type = UPPER
        } else {
          while (type === LOWER) {
            hash = ((hash << 5) - hash + code) | 0
            if (++at === stop) break
            code = codes[at]!
            type = CLASSES[code]!
          }
        }
        if (at < stop && type === DIGIT) at = wordEnd(codes, at, stop)
        else {
          word = hash
          if (severity === 0 && at - from > 1) {
            severity = MARKED[hash & MASK] === 0 ? 0 : (SEVERITIES.get(hash) ?? 0)
            if (severity !== 0) {
              if (isNamed(text, from, at) || words[count - 1] === ZERO) severity = 0
              else {
                severityAt = from - start
                severityCount = count + 1
                reports =
                  (words[count - 1] === NUMBER && codes[from - 1] !== 45) ||
                  (isFirst && CLASSES[codes[from]!] === UPPER) ||
                  isReport(text, from, at)
              }
            }
          }
        }
        isFirst = false
      } else if (type === DIGIT) {
        let zero = code === 48
        while (++at < stop && (type = CLASSES[codes[at]!]!) === DIGIT) zero = false
        if (at === stop || type > UPPER) {
          // "errors: 0" reports no error.
          if (zero && count > 0 && count === severityCount) severity = 0
          word = zero ? ZERO : NUMBER
        } else at = wordEnd(codes, at, stop)
      } else if (type === ESCAPE) {
        const after = escapeEnd(text, at, stop)
        if (!red && isRed(text, at, after)) red = true
        at = after
        continue
      } else {
        if (marks < SKELETON_MARKS && code > 47) {
          skeleton = Math.imul(skeleton ^ code, PRIME)
          marks++
        }
        const from = at++
        if (count > 0 && type !== MARK) continue
        // Punctuation at the start of a line is significant: it may be a rule, a bullet, or a mark of a test runner.
        while (at < stop && codes[at] === code) at++
        word = PUNCTUATION | code | (at - from > 2 ? 0x10000 : 0)
      }
      hasWords = true
      template = Math.imul(template ^ word, PRIME)
      if (count === MOST_WORDS) continue
      words[count++] = word
      if (count === KIND_WORDS) kind = template
      else if (count === SHAPE_WORDS) shape = template
    }
    this.count = count
    this.kind = count < KIND_WORDS ? template : kind
    this.shape = count < SHAPE_WORDS ? template : shape
    this.template = template
    this.skeleton = skeleton
    this.severity = severity
    this.reports = severity !== 0 && reports
    this.at = severityAt
    this.red = red
    this.blank = !hasWords && text.slice(start, end).trim() === ''
  }
}

function wordEnd(codes: Uint16Array, from: number, end: number): number {
  let at = from
  while (at < end && CLASSES[codes[at]!]! <= DIGIT) at++
  return at
}

const shared = new LineWords()
const sharedCodes = new TextCodes()

export function severityOfLine(line: string): Severity {
  shared.read(line, 0, line.length, sharedCodes.of(line))
  return shared.severity
}

/** Return the position of the word with the severity, or 0 without such a word. */
export function severityAt(line: string): number {
  return severityOfLine(line) === 0 ? 0 : shared.at
}

/** Whether a word is part of a name or path and so reports nothing, for example in `test_error_message`. */
function isNamed(text: string, from: number, to: number): boolean {
  const before = text.charCodeAt(from - 1)
  const after = text.charCodeAt(to)
  return before === 95 || before === 47 || after === 95 || after === 47
}

/** Matches text after a word that reports a severity, as in `[error]` and `error TS2307`, but not `exception::what`. */
const REPORTED = /:(?!:[a-z~])|[!\]]|\u001b\[\d*m|[ [][A-Z]*\d/y
/** Matches the text before such a word, as in `level=error`, `"level":"error"`, and `::error::`. */
const ASSIGNED = /(?:=|[:=] ?"|(?:^|\s)::)$/

/** Whether a word is written like a level. */
function isReport(text: string, from: number, to: number): boolean {
  const word = text.slice(from, to)
  REPORTED.lastIndex = to
  return word === word.toUpperCase() || REPORTED.test(text) || ASSIGNED.test(text.slice(Math.max(0, from - 3), from))
}

/** Whether an escape sequence sets a red color, for example `ESC[31m` or `ESC[1;91m`. */
function isRed(text: string, from: number, to: number): boolean {
  if (text.charCodeAt(to - 1) !== 109 || to - from > 12) return false
  return /^\u001b\[(?:\d{1,2};)*[39]1m|;5;(?:1|9|160|196)m$/.test(text.slice(from, to))
}
