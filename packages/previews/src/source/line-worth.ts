import { BLANK, CLOSER, CODE, type CodeLines } from './code-lines.ts'
import type { OutlineSymbol } from './outline.ts'
import type { SourceLines } from './source-lines.ts'

export interface Sought {
  /** Requested lines, 1-based and inclusive. */
  readonly lines?: { readonly start: number; readonly end: number } | undefined
  readonly words: readonly string[]
}

/** Values of the kinds of lines. Code has the value 1. */
const WORTH = [0, 0, 0.6, 0.35, 1] as const
/** Factor for a repeated line. */
const REPEATED = 0.5
const MOST_COMPARED = 8_192
/** Factor for comments at the top of a file, such as a license. */
const LICENCE = 0.08
/** Approximate number of UTF-16 units to search. */
const MOST_SEARCHED = 8_000_000
const ASKED = 40
const SOUGHT_LINE = 6
/** Smallest value of requested lines and conflicts. */
export const SOUGHT: number = SOUGHT_LINE
const CONFLICT = 12
/** Numbers of lines to raise: in a definition that the call names, and before and after a line with its words. */
const SOUGHT_BODY = 40
const AROUND = 12
const NEAR_FACTOR = 3
/** Decrease of the factor for each line of distance. */
const FALL = 0.1
const CONFLICT_AROUND = 3
/** Number of lines to raise around requested lines. */
const NEIGHBOURS = 12

/** Rate each line. Requested lines, lines with words of the call, and conflicts are highest. Text around code is 0. */
export function lineWorth(code: CodeLines, symbols: readonly OutlineSymbol[], sought: Sought): Float32Array {
  const { source, kinds } = code
  const worth = new Float32Array(source.count)
  for (let index = source.from; index < source.to; index++) worth[index] = WORTH[kinds[index]!] ?? 0
  for (let index = source.from; index < source.to && kinds[index] !== CODE; index++) worth[index]! *= LICENCE
  lowerRepeats(code, worth)
  raiseConflicts(source, worth)
  raiseWords(source, symbols, worth, sought.words)
  if (sought.lines !== undefined) raiseAsked(worth, sought.lines)
  worth.fill(0, 0, source.from)
  worth.fill(0, source.to)
  return worth
}

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

/** Raises both sides of a merge conflict and the lines around it. */
function raiseConflicts(source: SourceLines, worth: Float32Array): void {
  if (!source.text.includes('<<<<<<< ')) return
  let from = -1
  for (let index = source.from; index < source.to; index++) {
    const begin = source.begins[index]!
    if (source.text.startsWith('<<<<<<< ', begin)) from = index
    else if (from >= 0 && source.text.startsWith('>>>>>>> ', begin)) {
      for (let inside = from; inside <= index; inside++) raise(worth, inside, CONFLICT)
      for (let step = 1; step <= CONFLICT_AROUND; step++) {
        raise(worth, from - step, CONFLICT / 4)
        raise(worth, index + step, CONFLICT / 4)
      }
      from = -1
    }
  }
}

/** Raise definitions that the call names, and lines with words of the call, unless too many lines have the word. */
function raiseWords(
  source: SourceLines,
  symbols: readonly OutlineSymbol[],
  worth: Float32Array,
  words: readonly string[],
): void {
  for (const word of words.slice(0, Math.max(4, Math.floor(MOST_SEARCHED / Math.max(1, source.text.length))))) {
    for (const { name, line, endLine } of symbols) {
      if (name !== word && !name.endsWith(`.${word}`)) continue
      for (let body = line; body < Math.min(endLine, line + SOUGHT_BODY); body++) scale(worth, body, 3)
    }
    const held = linesWith(source, word, Math.max(5, source.count / 20))
    if (held === undefined) continue
    for (const index of held) {
      raise(worth, index, SOUGHT_LINE)
      for (let near = index - AROUND; near <= index + AROUND; near++)
        scale(worth, near, NEAR_FACTOR - Math.abs(near - index) * FALL)
    }
  }
}

/** Returns `undefined` if more than `most` lines have the word. */
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
