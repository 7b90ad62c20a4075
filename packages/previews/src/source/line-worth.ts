import { BLANK, CLOSER, CODE, COMMENT, type CodeLines } from './code-lines.ts'
import type { OutlineSymbol } from './outline.ts'
import type { SourceLines } from './source-lines.ts'
import { unitsOf, wordHashes } from './word-hash.ts'
import { isDigit } from '../layout/numbered-lines.ts'

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
/** The most that a line of the body of a definition is worth for what it is. */
export const MOST_OF_BODY: number = 1.25
/** Where code lists things, an edit adds one more: most often where it lists names with their values. */
const PAIR = MOST_OF_BODY
const ENTRY = 0.9
const LEAST_ENTRIES = 3
/** Of a line that stood before. */
const REPEATED = 0.5
/** Most lines whose repeats are looked for. */
const MOST_COMPARED = 8_192
const IMPORT = 1.5
const FIELD = 1.5
/** Branches and what comes out of them change more often than the rest. */
const BRANCH = 1.15
/** Of comments at the top of a file, which say whose it is. */
const LICENCE = 0.08
/** Units that are searched for words, about. */
const MOST_SEARCHED = 8_000_000
const ASKED = 40
const SOUGHT_DEFINITION = 12
const SOUGHT_LINE = 6
/** Lines that the call asks for, and conflicts, are worth this at least. */
export const SOUGHT: number = SOUGHT_LINE
const CONFLICT = 12
const NOTICE = 3
const REMINDER = 2
/** Lines of a definition that is sought, and lines around a line that is. */
const SOUGHT_BODY = 40
const AROUND = 3
/** Lines before and after those that are asked for. */
const NEIGHBOURS = 12

/**
 * Rate each line of code by how likely it is needed: what the call asks for, conflicts of a merge, definitions, code. What
 * a tool says before and after the code is worth nothing.
 */
export function lineWorth(code: CodeLines, symbols: readonly OutlineSymbol[], sought: Sought): Float32Array {
  const { source, kinds, words } = code
  const worth = new Float32Array(source.count)
  for (let index = source.from; index < source.to; index++) {
    const kind = kinds[index]!
    if (kind === CODE) worth[index] = worthOfCode(code, index, words[index]!)
    else if (kind === COMMENT) worth[index] = REMINDERS.test(part(code, index)) ? REMINDER : WORTH[COMMENT]
    else worth[index] = WORTH[kind] ?? 0
  }
  for (let index = source.from; index < source.to && kinds[index] !== CODE; index++) worth[index]! *= LICENCE
  raiseEntries(code, symbols, worth)
  lowerRepeats(code, worth)
  for (const { line } of symbols) raise(worth, line - 1, DEFINITION)
  raiseConflicts(source, worth)
  raiseWords(source, symbols, worth, sought.words)
  if (sought.lines !== undefined) raiseAsked(worth, sought.lines)
  worth.fill(0, 0, source.from)
  worth.fill(0, source.to)
  return worth
}

const IMPORTS = wordHashes('import from use using require require_relative #include alias package')
const BRANCHES = wordHashes('if else elif elsif for while switch case match return raise throw try catch except when')
const REMINDERS = /\b(?:TODO|FIXME|XXX|HACK)\b/
const NOTICES = /\b\d[\d,]* (?:characters|chars|bytes|lines|tokens) (?:elided|omitted|truncated|skipped|hidden)\b/i

function worthOfCode(code: CodeLines, index: number, word: number): number {
  if (IMPORTS.has(word)) return IMPORT
  if (BRANCHES.has(word)) return BRANCH
  const first = code.firsts[index]!
  // `} else {`, `} catch`.
  if (first === CLOSING_BRACE) return BRANCH
  // A path alone in quotes is one of a list of imports.
  if (first === QUOTE && code.lasts[index] === QUOTE) return IMPORT
  return isDigit(first) || first === OPENING_BRACKET || first === DOT
    ? NOTICES.test(part(code, index))
      ? NOTICE
      : WORTH[CODE]
    : WORTH[CODE]
}

const CLOSING_BRACE = 125
const OPENING_BRACKET = 91
const QUOTE = 34
const DOT = 46
const COMMA = 44

/** The first part of a line. */
function part({ source }: CodeLines, index: number): string {
  const begin = source.begins[index]!
  return source.text.slice(begin, Math.min(source.ends[index]!, begin + 160))
}

/** Lists: fields of a type, and lines in a row that are indented alike and end with a comma. */
function raiseEntries(code: CodeLines, symbols: readonly OutlineSymbol[], worth: Float32Array): void {
  const { source, indents, kinds, lasts } = code
  for (const { kind, line, endLine } of symbols) {
    if (!FIELDS.has(kind) || endLine - line > MOST_FIELDS) continue
    for (let index = line; index < endLine; index++) if (kinds[index] === CODE) raise(worth, index, FIELD)
  }
  for (let from = source.from; from < source.to; from++) {
    if (kinds[from] !== CODE || lasts[from] !== COMMA) continue
    let end = from + 1
    while (end < source.to && kinds[end] === CODE && lasts[end] === COMMA && indents[end] === indents[from]) end++
    if (end - from >= LEAST_ENTRIES) {
      raise(worth, from - 1, ENTRY)
      for (let entry = from; entry < end; entry++) worth[entry] = isPair(source, entry) ? PAIR : ENTRY
    }
    from = end - 1
  }
}

const FIELDS: ReadonlySet<string> = new Set(['type', 'struct', 'interface', 'enum', 'record', 'union'])
const MOST_FIELDS = 200

/** Whether a line gives a name a value: `name: value`, `"name" => value`, `name = value`. */
function isPair({ text, begins, ends }: SourceLines, index: number): boolean {
  const end = Math.min(ends[index]!, begins[index]! + 80)
  for (let at = begins[index]!; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 58 || unit === 61) return true
    if (!PAIR_NAME.has(unit)) return false
  }
  return false
}

const PAIR_NAME = unitsOf('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ \t"\'.@?-$')

function lowerRepeats({ source, kinds }: CodeLines, worth: Float32Array): void {
  if (source.count > MOST_COMPARED) return
  const seen = new Set<string>()
  for (let index = source.from; index < source.to; index++) {
    if (kinds[index] === BLANK || kinds[index] === CLOSER) continue
    const text = source.text.slice(source.begins[index], source.ends[index]).trim()
    if (seen.has(text)) worth[index]! *= REPEATED
    else seen.add(text)
  }
}

/** Both sides of a conflict that a merge left, what stands between them, and the lines around. */
function raiseConflicts(source: SourceLines, worth: Float32Array): void {
  if (!source.text.includes('<<<<<<< ')) return
  let from = -1
  for (let index = source.from; index < source.to; index++) {
    const begin = source.begins[index]!
    if (source.text.startsWith('<<<<<<< ', begin)) from = index
    else if (from >= 0 && source.text.startsWith('>>>>>>> ', begin)) {
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
  source: SourceLines,
  symbols: readonly OutlineSymbol[],
  worth: Float32Array,
  words: readonly string[],
): void {
  for (const word of words.slice(0, Math.max(4, Math.floor(MOST_SEARCHED / Math.max(1, source.text.length))))) {
    for (const { name, line, endLine } of symbols) {
      if (name !== word && !name.endsWith(`.${word}`)) continue
      raise(worth, line - 1, SOUGHT_DEFINITION)
      for (let body = line; body < Math.min(endLine, line + SOUGHT_BODY); body++) scale(worth, body, 3)
    }
    const held = linesWith(source, word, Math.max(5, source.count / 20))
    if (held === undefined) continue
    for (const index of held) {
      raise(worth, index, SOUGHT_LINE)
      for (let step = 1; step <= AROUND; step++) for (const near of [index - step, index + step]) scale(worth, near, 2)
    }
  }
}

/** The indices of the lines that hold a word; `undefined` where they are more than `most`. */
function linesWith({ text, ends, count }: SourceLines, word: string, most: number): number[] | undefined {
  const held: number[] = []
  let index = 0
  for (let at = text.indexOf(word); at >= 0 && index < count; at = text.indexOf(word, ends[index])) {
    while (index < count && ends[index]! < at) index++
    if (index >= count) break
    if (held.push(index) > most) return undefined
  }
  return held
}

function raiseAsked(worth: Float32Array, { start, end }: NonNullable<Sought['lines']>): void {
  for (let line = Math.max(1, start); line <= Math.min(end, worth.length); line++) raise(worth, line - 1, ASKED)
  for (let step = 1; step <= NEIGHBOURS; step++) {
    for (const near of [start - 1 - step, end - 1 + step]) raise(worth, near, (ASKED * (1 - step / NEIGHBOURS)) / 2)
  }
}

function raise(worth: Float32Array, index: number, least: number): void {
  if (index >= 0 && index < worth.length && worth[index]! < least) worth[index] = least
}

function scale(worth: Float32Array, index: number, by: number): void {
  if (index >= 0 && index < worth.length) worth[index]! *= by
}
