import { BLANK, CLOSER, CODE, COMMENT, DOCUMENTATION, type CodeLines } from './code-lines.ts'
import type { OutlineSymbol } from './outline.ts'

/** What an agent that called a tool looks for in the file. */
export interface Sought {
  /** Lines that it asked for, 1-based and inclusive. */
  readonly lines?: { readonly start: number; readonly end: number } | undefined
  /** Words and names, in any order. */
  readonly words: readonly string[]
}

/** Worth of a line by what it is; a line of code counts 1. */
const WORTH = [0, 0, 0.6, 0.35, 1] as const
const DEFINITION = 1.6
/** Where code lists things, an edit adds one more: most often where it lists names with their values. */
const PAIR = 1.25
const ENTRY = 0.9
const LEAST_ENTRIES = 3
/** Of a line that stood before. */
const REPEATED = 0.5
/** Most lines whose repeats are looked for. */
const MOST_COMPARED = 8_192
const IMPORT = 1.2
/** Branches and what comes out of them change more often than the rest. */
const BRANCH = 1.15
/** Comments at the top of a file say whose it is. */
const LICENCE = 0.05
const ASKED = 40
const SOUGHT_DEFINITION = 12
const SOUGHT_LINE = 6
const CONFLICT = 12
const NOTICE = 3
const REMINDER = 2
/** Lines of a definition that is sought, and lines around a line that is. */
const SOUGHT_BODY = 40
const AROUND = 3
/** Lines before and after those that are asked for. */
const NEIGHBOURS = 12

/** Rate each line of code by how likely it is needed: what the call asks for, conflicts of a merge, definitions, code. What a tool says outside of the `span` that is code is worth nothing. */
export function lineWorth(
  code: CodeLines,
  symbols: readonly OutlineSymbol[],
  sought: Sought,
  span: { readonly from: number; readonly to: number },
): Float32Array {
  const { lines, kinds } = code
  const worth = new Float32Array(lines.length)
  for (let index = 0; index < lines.length; index++) {
    worth[index] = WORTH[kinds[index]!] ?? 0
    if (kinds[index] === CODE && isImport(lines[index]!)) worth[index] = IMPORT
    else if (kinds[index] === CODE && BRANCHES.test(lines[index]!.slice(0, 60))) worth[index] = BRANCH
    else if (kinds[index] === COMMENT && REMINDERS.test(lines[index]!.slice(0, 200))) worth[index] = REMINDER
    if (NOTICES.test(lines[index]!.slice(0, 160))) worth[index] = NOTICE
  }
  for (let index = span.from; index < span.to && isNoCode(kinds[index]!); index++) worth[index]! *= LICENCE / 0.6
  raiseEntries(code, symbols, worth)
  lowerRepeats(lines, worth)
  for (const { line } of symbols) raise(worth, line - 1, DEFINITION)
  raiseConflicts(lines, worth)
  raiseWords(lines, symbols, worth, sought.words)
  if (sought.lines !== undefined) {
    const { start, end } = sought.lines
    for (let line = Math.max(1, start); line <= Math.min(end, lines.length); line++) raise(worth, line - 1, ASKED)
    for (let step = 1; step <= NEIGHBOURS; step++)
      for (const near of [start - 1 - step, end - 1 + step]) raise(worth, near, (ASKED * (1 - step / NEIGHBOURS)) / 2)
  }
  worth.fill(0, 0, span.from)
  worth.fill(0, span.to)
  return worth
}

const BRANCHES =
  /^[ \t]*(?:\} )?(?:if|else|elif|elsif|for|while|switch|case|match|return|raise|throw|try|catch|except|when)\b/
const REMINDERS = /\b(?:TODO|FIXME|XXX|HACK)\b/
const NOTICES = /\b\d[\d,]* (?:characters|chars|bytes|lines|tokens) (?:elided|omitted|truncated|skipped|hidden)\b/i

function isNoCode(kind: number): boolean {
  return kind === BLANK || kind === COMMENT || kind === DOCUMENTATION || kind === CLOSER
}

/** `import`, `from … import`, `use`, `using`, `require`, `#include`, `alias`, `package` and lone paths in quotes. */
function isImport(line: string): boolean {
  return /^[ \t]*(?:(?:pub )?use [\w:{]|import\b|from [\w.]+ import\b|using [\w.:]+;|require(?:_relative)?\b|#include\b|alias [A-Z]|package [\w.]+;?$|export \{|(?:\w+ )?"[\w./@-]+"$)/.test(
    line.slice(0, 120),
  )
}

/** Lists: fields of a type, and lines in a row that are indented alike and end with a comma. */
function raiseEntries(code: CodeLines, symbols: readonly OutlineSymbol[], worth: Float32Array): void {
  const { lines, indents, kinds } = code
  for (const { kind, line, endLine } of symbols) {
    if (!FIELDS.has(kind) || endLine - line > MOST_FIELDS) continue
    for (let index = line; index < endLine; index++) if (kinds[index] === CODE) raise(worth, index, PAIR)
  }
  let from = 0
  for (let index = 0; index <= lines.length; index++) {
    const isEntry =
      index < lines.length &&
      kinds[index] === CODE &&
      lines[index]!.endsWith(',') &&
      (index === from || indents[index] === indents[from])
    if (isEntry) continue
    if (index - from >= LEAST_ENTRIES) {
      raise(worth, from - 1, ENTRY)
      for (let entry = from; entry < index; entry++)
        worth[entry] = PAIRS.test(lines[entry]!.slice(0, 80)) ? PAIR : ENTRY
    }
    from = lines[index]?.endsWith(',') === true ? index : index + 1
  }
}

const PAIRS = /^[ \t]*["'.:@]?[\w-]+["']?\??[ \t]*(?::|=>|=)[ \t]*\S/
const FIELDS: ReadonlySet<string> = new Set(['type', 'struct', 'interface', 'enum', 'record', 'union'])
const MOST_FIELDS = 200

function lowerRepeats(lines: readonly string[], worth: Float32Array): void {
  if (lines.length > MOST_COMPARED) return
  const seen = new Set<string>()
  for (let index = 0; index < lines.length; index++) {
    const text = lines[index]!.trim()
    if (seen.has(text)) worth[index]! *= REPEATED
    else seen.add(text)
  }
}

/** Both sides of a conflict that a merge left, and what stands between them. */
function raiseConflicts(lines: readonly string[], worth: Float32Array): void {
  let from = -1
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!
    if (line.startsWith('<<<<<<< ')) from = index
    else if (line.startsWith('>>>>>>> ') && from >= 0) {
      for (let inside = from; inside <= index; inside++) raise(worth, inside, CONFLICT)
      for (let step = 1; step <= AROUND; step++) {
        raise(worth, from - step, CONFLICT / 4)
        raise(worth, index + step, CONFLICT / 4)
      }
      from = -1
    }
  }
}

/** Definitions of the words that are sought, and lines that hold them; words that stand everywhere tell nothing. */
function raiseWords(
  lines: readonly string[],
  symbols: readonly OutlineSymbol[],
  worth: Float32Array,
  words: readonly string[],
): void {
  for (const word of words) {
    const named = symbols.filter(({ name }) => name === word || name.endsWith(`.${word}`))
    for (const { line, endLine } of named) {
      raise(worth, line - 1, SOUGHT_DEFINITION)
      for (let body = line; body < Math.min(endLine, line + SOUGHT_BODY); body++) scale(worth, body, 3)
    }
    const held: number[] = []
    for (let index = 0; index < lines.length && held.length * 20 <= lines.length; index++)
      if (lines[index]!.includes(word)) held.push(index)
    if (held.length * 20 > lines.length && held.length > 5) continue
    for (const index of held) {
      raise(worth, index, SOUGHT_LINE)
      for (let step = 1; step <= AROUND; step++) for (const near of [index - step, index + step]) scale(worth, near, 2)
    }
  }
}

function raise(worth: Float32Array, index: number, least: number): void {
  if (index >= 0 && index < worth.length && worth[index]! < least) worth[index] = least
}

function scale(worth: Float32Array, index: number, by: number): void {
  if (index >= 0 && index < worth.length) worth[index]! *= by
}
