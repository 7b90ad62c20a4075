import { type HiddenName, type HiddenNames, type PreviewModel, type Item, itemOf } from '../layout/preview-model.ts'
import { cutAtGrapheme, estimateTokens } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import { BLANK, type CodeLines } from './code-lines.ts'
import { languageName } from './languages.ts'
import { MOST_OF_BODY, SOUGHT } from './line-worth.ts'
import type { OutlineSymbol } from './outline.ts'
import { promisingLines } from './promising-lines.ts'

/** Source code that has been read, with what its lines are worth. */
export interface ReadSource {
  readonly language: string
  readonly code: CodeLines
  readonly symbols: readonly OutlineSymbol[]
  readonly worth: Float32Array
  /** What the header says beside language and length. */
  readonly note: string
}

/**
 * Share of the budget for names of definitions: deeper ones are added while all names take no more than this. Those at the
 * top come first, unless the call asks for lines or words, or there are conflicts of a merge.
 */
const OUTLINE_SHARE = 0.4
/** Share of the budget that names at the top may have where nothing else is sought. */
const MOST_NAMES = 0.97
/** Names at the top that are enough for an outline; with fewer, those inside them belong to it. */
const ENOUGH_NAMES = 8
/** Longest part of a name that is shown. */
const NAME_CAP = 80
/** Lines that are given for one name at most. */
const MOST_LIKE = 6
/** Tokens of the number before a name. */
const NUMBER_TOKENS = 2
/** In files of more than so many times the budget, a line of a body is less likely to be the one that is needed. */
const ENOUGH_TIMES = 6
const UNITS_PER_TOKEN = 3.4

/** The lines of a file, with the names that hidden ones define. */
export function sourceItems(read: ReadSource, budgetTokens: number): PreviewModel {
  const { language, code, symbols, worth, note } = read
  const { count } = code.source
  const definitions = symbols.length === 0 ? '' : `, ${countOf(symbols.length, 'definition')}`
  return {
    items: itemsOf(read, budgetTokens),
    lines: count,
    header: `${languageName(language)}, ${countOf(count, 'line')}${definitions}${note}`,
    alwaysHeader: true,
    shares: [],
    lineShare: 0.07,
    endShare: 0,
    names: definitionNames(symbols, worth.some((value) => value >= SOUGHT) ? OUTLINE_SHARE : MOST_NAMES),
  }
}

function itemsOf({ code, symbols, worth }: ReadSource, budgetTokens: number): Item[] {
  const { source, kinds } = code
  const bodyShare = Math.min(
    1,
    Math.sqrt((budgetTokens * UNITS_PER_TOKEN * ENOUGH_TIMES) / Math.max(1, source.text.length)),
  )
  const defining = new Set(symbols.map(({ line }) => line))
  const items: Item[] = []
  let blanks = 0
  let next = 0
  for (const index of promisingLines(source, worth, budgetTokens)) {
    const text = source.text.slice(source.begins[index], source.ends[index])
    if (index !== next) blanks = 0
    next = index + 1
    if (kinds[index] === BLANK && text.trim() === '') {
      blanks++
      continue
    }
    const value = worth[index]! * (worth[index]! <= MOST_OF_BODY ? bodyShare : 1)
    const item = itemOf({ number: index + 1, text, tail: '', hidden: 0 }, blanks, value, 0, undefined)
    item.numbered = defining.has(index + 1)
    items.push(item)
    blanks = 0
  }
  return items
}

/** The names of definitions: those at the top first, and of these the longest; deeper ones up to a share of the tokens. */
function definitionNames(symbols: readonly OutlineSymbol[], most: number): HiddenNames {
  const levels = byDepth(symbols).map((level) =>
    level.map(({ line, name }) => {
      const shown = name.length <= NAME_CAP ? name : `${cutAtGrapheme(name, NAME_CAP)}…`
      return { line, name: shown, tokens: estimateTokens(shown) + NUMBER_TOKENS }
    }),
  )
  return {
    choose: (tokens) => {
      const names: HiddenName[] = []
      let left = tokens * most
      let taken = 0
      for (const level of levels) {
        const cost = level.reduce((sum, name) => sum + name.tokens, 0)
        if (names.length >= ENOUGH_NAMES && taken + cost > tokens * OUTLINE_SHARE) break
        for (const name of level) {
          if (name.tokens > left) return names
          names.push(name)
          left -= name.tokens
        }
        taken += cost
      }
      return names
    },
    write: (names) => {
      const lines: string[] = []
      for (let from = 0; from < names.length;) {
        const { name } = names[from]!
        let end = from + 1
        while (end < names.length && end - from < MOST_LIKE && names[end]!.name === name) end++
        const numbers = names.slice(from, end).map(({ line }) => line)
        lines.push(`${numbers.join(', ')} ${name}`)
        from = end
      }
      return lines
    },
  }
}

function byDepth(symbols: readonly OutlineSymbol[]): OutlineSymbol[][] {
  const levels: OutlineSymbol[][] = []
  for (const symbol of symbols) (levels[symbol.depth] ??= []).push(symbol)
  const span = ({ line, endLine }: OutlineSymbol): number => endLine - line
  return levels.flatMap((level) => [level.toSorted((one, other) => span(other) - span(one) || one.line - other.line)])
}
