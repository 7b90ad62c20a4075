import { BLANK, CLOSER, CODE, type CodeLines } from './code-lines.ts'
import type { OutlineSymbol } from './outline.ts'
import type { SourceLines } from './source-lines.ts'
import { wordHashes } from './word-hash.ts'

export interface Sought {
  /** Requested lines, 1-based and inclusive. */
  readonly lines?: { readonly start: number; readonly end: number } | undefined
  readonly words: readonly string[]
}

/** Worth by kind of line; code is 1. */
const WORTH = [0, 0, 0.6, 0.35, 1] as const
const DEFINITION = 1.6
/** Factor for a repeated line. */
const REPEATED = 0.5
/** Limit for comparing lines. */
const MOST_COMPARED = 8_192
const IMPORT = 1.5
/** Branches and their results change more often. */
const BRANCH = 1.15
/** Factor for comments at the top of a file, such as a license. */
const LICENCE = 0.08
/** Approximate limit for searched UTF-16 units. */
const MOST_SEARCHED = 8_000_000
const ASKED = 40
const SOUGHT_DEFINITION = 12
const SOUGHT_LINE = 6
/** Smallest worth of requested lines and conflicts. */
export const SOUGHT: number = SOUGHT_LINE
const CONFLICT = 12
/** Lines raised in a sought definition, and around a sought line. */
const SOUGHT_BODY = 40
const AROUND = 3
/** Lines raised around requested ones. */
const NEIGHBOURS = 12

/**
 * Rates each line of code: requested lines, merge conflicts, definitions, other code. Text of a tool around the code is
 * worth nothing.
 */
export function lineWorth(code: CodeLines, symbols: readonly OutlineSymbol[], sought: Sought): Float32Array {
  const { source, kinds, words } = code
  const worth = new Float32Array(source.count)
  for (let index = source.from; index < source.to; index++) {
    const kind = kinds[index]!
    if (kind === CODE) worth[index] = worthOfCode(code, index, words[index]!)
    else worth[index] = WORTH[kind] ?? 0
  }
  for (let index = source.from; index < source.to && kinds[index] !== CODE; index++) worth[index]! *= LICENCE
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

function worthOfCode(code: CodeLines, index: number, word: number): number {
  if (IMPORTS.has(word)) return IMPORT
  if (BRANCHES.has(word)) return BRANCH
  const first = code.firsts[index]!
  // `} else {`, `} catch`.
  if (first === CLOSING_BRACE) return BRANCH
  // A quoted path alone is part of an import list.
  if (first === QUOTE && code.lasts[index] === QUOTE) return IMPORT
  return WORTH[CODE]
}

const CLOSING_BRACE = 125
const QUOTE = 34

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

/** Raises both sides of a merge conflict and the lines around. */
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

/** Raises definitions and lines with sought words, unless a word is everywhere. */
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

/** Returns `undefined` if there are more than `most` lines. */
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
