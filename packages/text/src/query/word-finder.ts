import { isEnding, LONGEST_ENDING, type QueryWord, type WordStem } from './query-words.ts'

/** Number of UTF-16 units of a stem in the search expression. The other units are compared at each hit. */
const MAX_SOUGHT = 24

export interface WordHit {
  /** Indexes of all query words with this stem. */
  readonly words: readonly number[]
  readonly start: number
  readonly end: number
}

interface Sought {
  readonly stem: WordStem
  readonly words: number[]
}

/** Finds the first query word at or after `from`. */
export type WordFinder = (text: string, from: number) => WordHit | undefined

/** Create a finder that searches for all stems with one expression, nested by common prefixes, and checks each hit. */
export function wordFinder(queryWords: readonly QueryWord[]): WordFinder {
  const bySought = new Map<string, Sought[]>()
  for (const [index, { stems }] of queryWords.entries()) {
    for (const stem of stems) add(stem, index)
  }
  const sought = [...bySought.keys()]
  const lengths = [...new Set(sought.map((text) => text.length))].toSorted((a, b) => b - a)
  const expression = new RegExp(alternation(sought), 'g')

  function add(stem: WordStem, index: number): void {
    const key = stem.stem.slice(0, MAX_SOUGHT)
    const entries = bySought.get(key) ?? []
    bySought.set(key, entries)
    const same = entries.find((entry) => entry.stem.stem === stem.stem && entry.stem.endings === stem.endings)
    if (same === undefined) entries.push({ stem, words: [index] })
    else if (!same.words.includes(index)) same.words.push(index)
  }

  function next(text: string, from: number): WordHit | undefined {
    expression.lastIndex = from
    for (let found = expression.exec(text); found !== null; found = expression.exec(text)) {
      const hit = check(text, found.index, found[0].length)
      if (hit !== undefined) return hit
      expression.lastIndex = found.index + 1
    }
    return undefined
  }

  /** Check a hit. The expression finds the longest stem, but only a shorter stem may match the word. */
  function check(text: string, start: number, longest: number): WordHit | undefined {
    const found = text.slice(start, start + longest).toLowerCase()
    for (const length of lengths) {
      if (length > longest) continue
      for (const { stem, words } of bySought.get(found.slice(0, length)) ?? []) {
        const end = endOf(text, start, stem, queryWords[words[0]!]!)
        if (end !== undefined) return { words, start, end }
      }
    }
    return undefined
  }

  function endOf(text: string, start: number, stem: WordStem, word: QueryWord): number | undefined {
    const stemEnd = start + stem.stem.length
    if (stem.stem.length > MAX_SOUGHT && text.slice(start, stemEnd).toLowerCase() !== stem.stem) return undefined
    if (word.anywhere) return stemEnd
    if (!beginsWord(text, start)) return undefined
    const end = partEnd(text, stemEnd)
    if (end === undefined || !isEnding(stem, text.slice(stemEnd, end).toLowerCase())) return undefined
    if (word.failure && saysNone(text, start, end)) return undefined
    return word.alone && isInName(text, start, end) ? undefined : end
  }

  return next
}

function alternation(literals: readonly string[]): string {
  const byFirst = new Map<string, string[]>()
  for (const literal of literals) {
    const first = literal.slice(0, 1)
    byFirst.set(first, [...(byFirst.get(first) ?? []), literal.slice(1)])
  }
  const branches = [...byFirst].map(([first, rests]) => {
    if (first === '') return ''
    const longer = rests.filter((rest) => rest !== '')
    const next = longer.length === 0 ? '' : alternation(longer)
    return inAnyCase(first) + (longer.length < rests.length && next !== '' ? `(?:${next})?` : next)
  })
  return branches.length === 1 ? branches[0]! : `(?:${branches.join('|')})`
}

/** Writes a unit as a character class, which is faster than the flag `i`. */
function inAnyCase(unit: string): string {
  const cases = new Set([unit, unit.toUpperCase(), unit.toLowerCase()].filter((form) => form.length === 1))
  const escaped = [...cases].map((form) => `\\u${form.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return escaped.length === 1 ? escaped[0]! : `[${escaped.join('')}]`
}

/** Matches a color code before a word. The last letter of the code does not belong to the word. */
const COLOUR_BEFORE = /\u001B\[[\d;]*m$/
const LETTER = /\p{L}/u

function isLower(code: number): boolean {
  return code >= 97 && code <= 122
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isLetter(code: number): boolean {
  if (code < 128) return isLower(code) || isUpper(code)
  return LETTER.test(String.fromCharCode(code))
}

function beginsWord(text: string, start: number): boolean {
  if (start === 0) return true
  const before = text.charCodeAt(start - 1)
  const first = text.charCodeAt(start)
  if (isDigit(before)) return !isDigit(first)
  if (!isLetter(before) || !isLetter(first)) return true
  if (isUpper(first) && (isLower(before) || isLower(text.charCodeAt(start + 1)))) return true
  return before === 109 && COLOUR_BEFORE.test(text.slice(Math.max(0, start - 20), start))
}

function partEnd(text: string, from: number): number | undefined {
  let at = from
  if (isDigit(text.charCodeAt(at)) && isDigit(text.charCodeAt(at - 1))) return undefined
  for (; at - from <= LONGEST_ENDING; at++) {
    const code = text.charCodeAt(at)
    if (!isLetter(code)) return at
    if (isUpper(code) && !isUpper(text.charCodeAt(at - 1))) return at
  }
  return undefined
}

const NONE_BEFORE = /(?:^|[^\p{L}\p{N}.])(?:0|no|zero|without)[ \t]{1,2}$/iu
const NONE_AFTER = /^[ \t]?[:=][ \t]{0,3}0(?![\d.x])/

/** Whether the text says that something did not occur, for example `0 failed` and `errors: 0`. */
function saysNone(text: string, start: number, end: number): boolean {
  const before = text.charCodeAt(start - 1)
  if ((before === 32 || before === 9) && NONE_BEFORE.test(text.slice(Math.max(0, start - 11), start))) return true
  const after = text.charCodeAt(end)
  return (after === 58 || after === 61 || after === 32) && NONE_AFTER.test(text.slice(end, end + 8))
}

/** Whether a word is part of a name, for example `error-handler.js`, `-Wno-error`, `failsWhenNull`. */
function isInName(text: string, start: number, end: number): boolean {
  if (/[-_/\\.$]/.test(text.charAt(start - 1))) return true
  const after = text.slice(end, end + 2)
  return /^[-_/\\\p{L}]|^\.[\p{L}]/u.test(after)
}
