import type { DefinitionRules } from './definition-rules.ts'
import type { SourceLines } from './source-lines.ts'
import { wordHash, wordHashes } from './word-hash.ts'

export const BLANK = 0
/** A line with only brackets and punctuation, or the word that ends a block. */
export const CLOSER = 1
export const COMMENT = 2
/** A line inside of a documentation string. */
const DOCUMENTATION = 3
export const CODE = 4

export interface CodeLines {
  readonly source: SourceLines
  /** `BLANK`, `CLOSER`, `COMMENT`, `DOCUMENTATION`, or `CODE`. */
  readonly kinds: Uint8Array
  /** Number of columns before the first character. A tab counts as four. */
  readonly indents: Uint16Array
  /** Hash of the first word. `NO_WORD` if the line does not start with a word. */
  readonly words: Int32Array
  /** The first and the last UTF-16 unit of each line that are not blank. */
  readonly firsts: Uint16Array
  readonly lasts: Uint16Array
}

const TAB_COLUMNS = 4
const MOST_COLUMNS = 0xffff
const SLASH = 47
const STAR = 42
const HASH = 35
const AT = 64

/** Classifies lines by the comment syntax of their language, in one pass. */
export function codeLines(source: SourceLines, rules: DefinitionRules): CodeLines {
  const { text, begins, ends, count } = source
  const kinds = new Uint8Array(count)
  const indents = new Uint16Array(count)
  const words = new Int32Array(count)
  const firsts = new Uint16Array(count)
  const lasts = new Uint16Array(count)
  const { comment, block = false, docstrings = false } = rules
  const commentUnit = comment?.charCodeAt(0)
  // End of the open comment or string, and the kind of its lines.
  let until = 0
  let within = CODE
  const endOfQuote = docstrings ? quoteFinder(text) : undefined
  for (let index = 0; index < count; index++) {
    let at = begins[index]!
    let end = ends[index]!
    let columns = 0
    for (; at < end; at++) {
      const unit = text.charCodeAt(at)
      if (unit === 32) columns++
      else if (unit === 9) columns += TAB_COLUMNS
      else if (unit !== 13) break
    }
    if (at >= end) continue
    while (isBlank(text.charCodeAt(end - 1))) end--
    const first = text.charCodeAt(at)
    indents[index] = Math.min(columns, MOST_COLUMNS)
    firsts[index] = first
    lasts[index] = text.charCodeAt(end - 1)
    if (until > at) {
      kinds[index] = within
      continue
    }
    if (first === commentUnit && text.startsWith(comment!, at) && !isDirective(text, at)) kinds[index] = COMMENT
    else if (block && first === SLASH && text.charCodeAt(at + 1) === STAR) {
      kinds[index] = COMMENT
      until = endOf(text, '*/', at + 2)
      within = COMMENT
    } else if (docstrings && (until = docstringEnd(text, at, end)) > 0) {
      kinds[index] = DOCUMENTATION
      within = DOCUMENTATION
    } else {
      words[index] = wordHash(text, at, end)
      kinds[index] = isCloser(text, at, end, words[index]!) ? CLOSER : CODE
      // A multi-line string may begin anywhere in a line of code.
      until = endOfQuote?.(at, end) ?? 0
      within = DOCUMENTATION
    }
  }
  return { source, kinds, indents, words, firsts, lasts }
}

/** Finds strings in triple quotes. Each quote is examined once. */
function quoteFinder(text: string) {
  const next = { '"""': -1, "'''": -1 }

  /** Returns the end of a string that starts in the range and continues after it, or 0. */
  function endOfString(start: number, end: number): number {
    let at = start
    for (;;) {
      const double = find('"""', at)
      const single = find("'''", at)
      const opens = Math.min(double, single)
      if (opens >= end) return 0
      at = endOf(text, double < single ? '"""' : "'''", opens + 3)
      if (at > end) return at
    }
  }

  function find(mark: '"""' | "'''", from: number): number {
    if (next[mark] < from) {
      const found = text.indexOf(mark, from)
      next[mark] = found < 0 ? Infinity : found
    }
    return next[mark]
  }

  return endOfString
}

/** Return the position after the mark, or the end of the text if the mark is missing. */
function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? text.length : found + mark.length
}

function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9 || unit === 13
}

/** Whether a `#` does not start a comment, as in `#!` and `#[derive]`. */
function isDirective(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== HASH) return false
  const next = text.charCodeAt(at + 1)
  return next === 91 || next === 33
}

/** Return the end of a string in triple quotes at the start of a line or in an attribute. 0 if there is no string. */
function docstringEnd(text: string, at: number, end: number): number {
  let from = at
  const first = text.charCodeAt(at)
  if (first === AT) {
    from = text.indexOf('"""', at)
    if (from < 0 || from >= end) return 0
  } else if (first !== 34 && first !== 39) {
    // A prefix, as in `r"""` and `u'''`.
    const second = text.charCodeAt(at + 1)
    if (second !== 34 && second !== 39) return 0
    from++
  }
  const mark = text.startsWith('"""', from) ? '"""' : text.startsWith("'''", from) ? "'''" : undefined
  return mark === undefined ? 0 : endOf(text, mark, from + 3)
}

const ENDS = wordHashes('end fi done esac else begin do then')

function isCloser(text: string, from: number, end: number, word: number): boolean {
  let at = from
  if (ENDS.has(word)) while (at < end && isWordUnit(text.charCodeAt(at))) at++
  for (; at < end; at++) if (isWordUnit(text.charCodeAt(at))) return false
  return true
}

function isWordUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95 || unit > 127
  )
}

/** Matches a message of a program, for example `cat: a.ts: No such file` or `Error from server (Timeout): try again`. */
const MESSAGE =
  /^(?:[\w.+/-]{1,60}: (?!["'[{(])(?:[^:={};]|:(?! )){1,200}|(?:error|fatal|warning)(?= |:)(?:[^:={};]|:(?! )){0,80}): \S/i
const LONGEST_MESSAGE = 300
/** Largest number of messages. If more lines look like messages, they are a part of the text. */
const MOST_MESSAGES = 4

/** Returns the indexes of lines that a program wrote among the lines of a source file, such as errors. */
export function programMessages({ source, kinds, indents }: CodeLines): readonly number[] {
  const { text, begins, ends, from, to } = source
  const found: number[] = []
  for (let index = from; index < to && found.length <= MOST_MESSAGES; index++) {
    if (kinds[index] !== CODE || indents[index] !== 0) continue
    const start = text.slice(begins[index], Math.min(ends[index]!, begins[index]! + LONGEST_MESSAGE))
    if (MESSAGE.test(start)) found.push(index)
  }
  return found.length > MOST_MESSAGES ? [] : found
}
