import type { DefinitionRules } from './definition-rules.ts'

/** What a line of code is. */
export type CodeLineKind = 0 | 1 | 2 | 3 | 4

export const BLANK = 0
/** Nothing but brackets and punctuation, or the word that ends a block. */
export const CLOSER = 1
export const COMMENT = 2
/** Inside a string over several lines that documents. */
export const DOCUMENTATION = 3
export const CODE = 4

/** The lines of code, with what each is. */
export interface CodeLines {
  readonly lines: readonly string[]
  /** Columns before the first character that is no blank; a tab counts as four. */
  readonly indents: Uint16Array
  readonly kinds: Uint8Array
}

const TAB_COLUMNS = 4
const MOST_COLUMNS = 0xffff

/** Tell what each line of code is, by the comments of its language; one pass over the lines. */
export function codeLines(lines: readonly string[], rules: DefinitionRules): CodeLines {
  const indents = new Uint16Array(lines.length)
  const kinds = new Uint8Array(lines.length)
  const block = rules.block === true
  const docstrings = rules.docstrings === true
  // What ends the comment or the string that a line stands in.
  let until = ''
  for (const [index, line] of lines.entries()) {
    const start = firstCharacter(line)
    indents[index] = start.columns
    const at = start.at
    if (until !== '') {
      kinds[index] = at === line.length ? BLANK : until === '*/' ? COMMENT : DOCUMENTATION
      if (line.includes(until)) until = ''
      continue
    }
    if (at === line.length) continue
    if (rules.comment !== undefined && line.startsWith(rules.comment, at) && !isDirective(line, at)) {
      kinds[index] = COMMENT
      continue
    }
    if (block && line.charCodeAt(at) === SLASH && line.charCodeAt(at + 1) === STAR) {
      kinds[index] = COMMENT
      if (!line.includes('*/', at + 2)) until = '*/'
      continue
    }
    if (docstrings) {
      const quotes = docstringAt(line, at)
      if (quotes !== undefined) {
        kinds[index] = DOCUMENTATION
        if (!line.includes(quotes.text, quotes.end)) until = quotes.text
        continue
      }
    }
    kinds[index] = isCloser(line, at) ? CLOSER : CODE
  }
  return { lines, indents, kinds }
}

const SLASH = 47
const STAR = 42

/** Where the first character stands that is no blank, and how many columns are before it. */
function firstCharacter(line: string): { at: number; columns: number } {
  let columns = 0
  let at = 0
  for (; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code === 32) columns++
    else if (code === 9) columns += TAB_COLUMNS
    else if (code !== 13) break
  }
  return { at, columns: Math.min(columns, MOST_COLUMNS) }
}

/** `#include` and `#[derive]` are no comments. */
function isDirective(line: string, at: number): boolean {
  return line.charCodeAt(at) === 35 && (line.charCodeAt(at + 1) === 91 || line.charCodeAt(at + 1) === 33)
}

/** A string between three quotes that begins a line, or the attribute of a module that holds one. */
function docstringAt(line: string, at: number): { text: string; end: number } | undefined {
  let from = at
  if (line.charCodeAt(from) === 64) from = line.indexOf('"""', from)
  else if (/[rRbuUf]/.test(line[from] ?? '')) from++
  if (from < 0) return undefined
  const text = line.startsWith('"""', from) ? '"""' : line.startsWith("'''", from) ? "'''" : undefined
  return text === undefined ? undefined : { text, end: from + 3 }
}

function isCloser(line: string, from: number): boolean {
  for (let at = from; at < line.length; at++) {
    const code = line.charCodeAt(at)
    const isWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code > 127
    if (isWord)
      return at === from && /^(?:end|fi|done|esac|else|begin|do|then)\b[^\w]*$/.test(line.slice(from, from + 12))
  }
  return true
}
