import { cutAtGrapheme, estimateTokens } from '@spillway/text/internal'
import type { Draft } from '../layout/fit-budget.ts'
import { countOf, GapMarks } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { chooseLines } from './choose-lines.ts'
import { languageName } from './languages.ts'
import { MOST_OF_BODY, SOUGHT } from './line-worth.ts'
import type { OutlineSymbol } from './outline.ts'
import { promisingLines } from './promising-lines.ts'
import type { SourceLines } from './source-lines.ts'

/** Source code that has been read, with what its lines are worth. */
export interface ReadSource {
  readonly language: string
  readonly source: SourceLines
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

/** Tokens of the header. */
const HEADER_TOKENS = 14
/** Names at the top that are enough for an outline; with fewer, those inside them belong to it. */
const ENOUGH_NAMES = 8
/** Longest part of a line and of a name that is shown. */
const LINE_CAP = 240
const NAME_CAP = 80
/** Lines that are given for one name at most. */
const MOST_LIKE = 6
/** Tokens of a line number and what follows it. */
const NUMBER_TOKENS = 3
/** Share of the budget that names at the top may have where nothing else is sought. */
const MOST_NAMES = 0.97
/** In files of more than so many times the budget, a line of a body is less likely to be the one that is needed. */
const ENOUGH_TIMES = 6
const UNITS_PER_TOKEN = 3.4
/** Estimates err on the high side by this. */
const MARGIN = 1.1

/** Worth of lines that are not shown at any price. */
const NEVER = -1e9

/** Lays out one file: runs of its lines, and between them the names that hidden lines define. */
export class SourceLayout {
  readonly #read: ReadSource
  readonly #options: PreviewOptions
  /** Whether lines are worth more than what any line is worth for what it is. */
  readonly #isSought: boolean
  /** What lines of bodies are worth of what they would be in a file not much larger than the preview. */
  readonly #bodyShare: number
  readonly #gapTokens: number
  readonly #callTokens: number
  /** The lines that may be shown, by their index; each of -1 stands for lines between them that may not. */
  readonly #rows: Int32Array
  readonly #costs: Float32Array
  readonly #shown = new Map<number, string>()
  /** Definitions by how deep they stand, the longest first. */
  readonly #levels: readonly (readonly OutlineSymbol[])[]

  constructor(read: ReadSource, options: PreviewOptions) {
    this.#read = read
    this.#options = options
    const fits = (options.budgetTokens * UNITS_PER_TOKEN * ENOUGH_TIMES) / Math.max(1, read.source.text.length)
    this.#isSought = isAnySought(read.worth)
    this.#bodyShare = Math.min(1, Math.sqrt(fits))
    this.#gapTokens = estimateTokens('\n[… 123 lines]\n1234| ')
    this.#callTokens = estimateTokens(options.showLines?.(1_000, 1_999) ?? '')
    this.#rows = promisingLines(read.source, read.worth, options.budgetTokens)
    this.#costs = Float32Array.from(this.#rows, (line) =>
      line < 0 ? 0 : estimateTokens(this.#show(line)) / MARGIN + 0.6,
    )
    this.#levels = byDepth(read.symbols)
  }

  /** Write a preview of about `aim` tokens. */
  write(aim: number): Draft {
    const { source, worth } = this.#read
    const room = aim - HEADER_TOKENS - this.#callTokens
    const listed = this.#listed(room)
    const rows = this.#rows
    const shown = this.#costs.slice()
    const hidden = new Float32Array(rows.length)
    const values = new Float32Array(rows.length)
    let named = 0
    for (const symbol of listed.values()) named += nameCost(symbol)
    for (const [row, line] of rows.entries()) {
      values[row] = line < 0 ? NEVER : worth[line]! * (worth[line]! <= MOST_OF_BODY ? this.#bodyShare : 1)
      if (line < 0) continue
      const symbol = listed.get(line + 1)
      if (symbol === undefined) continue
      hidden[row] = nameCost(symbol)
      named -= hidden[row]
      shown[row]! += NUMBER_TOKENS
    }
    const chosenRows = chooseLines({ worth: values, shown, hidden, gap: this.#gapTokens }, room - named)
    const chosen = new Uint8Array(source.count)
    for (const [row, line] of rows.entries()) if (line >= 0 && chosenRows[row] === 1) chosen[line] = 1
    const complete =
      !chosen.includes(0) && chosen.every((_, line) => source.ends[line]! - source.begins[line]! <= LINE_CAP)
    return { text: this.#assemble(chosen, listed), complete }
  }

  /** The definitions that are named where their lines are hidden, by line. */
  #listed(room: number): Map<number, OutlineSymbol> {
    const listed = new Map<number, OutlineSymbol>()
    let left = room * (this.#isSought ? OUTLINE_SHARE : MOST_NAMES)
    let taken = 0
    let count = 0
    for (const level of this.#levels) {
      const cost = level.reduce((sum, symbol) => sum + nameCost(symbol), 0)
      if (count >= ENOUGH_NAMES && taken + cost > room * OUTLINE_SHARE) break
      for (const symbol of level) {
        const one = nameCost(symbol)
        if (one > left) break
        listed.set(symbol.line, symbol)
        left -= one
      }
      if (cost > left + cost) break
      taken += cost
      count += level.length
      if (taken > room) break
    }
    return listed
  }

  #show(line: number): string {
    let shown = this.#shown.get(line)
    if (shown === undefined) this.#shown.set(line, (shown = capped(this.#read.source.line(line))))
    return shown
  }

  #assemble(chosen: Uint8Array, listed: ReadonlyMap<number, OutlineSymbol>): string {
    const { language, source, note, symbols } = this.#read
    const unseen = symbols.reduce((sum, { line }) => sum + (chosen[line - 1] === 1 || listed.has(line) ? 0 : 1), 0)
    const unnamed = unseen === 0 ? '' : `, ${countOf(unseen, 'definition')} not named`
    const parts: string[] = [`[${languageName(language)}, ${countOf(source.count, 'line')}${note}${unnamed}]`]
    const gaps = new GapMarks(this.#options)
    for (let line = 0; line < source.count;) {
      if (chosen[line] === 1) {
        const isNumbered = listed.has(line + 1) || (line > 0 && chosen[line - 1] === 0)
        parts.push(isNumbered ? `${line + 1}| ${this.#show(line)}` : this.#show(line))
        line++
        continue
      }
      let end = line
      while (end < source.count && chosen[end] === 0) end++
      parts.push(gaps.write(line + 1, end), ...namesBetween(listed, line + 1, end))
      line = end
    }
    return parts.join('\n')
  }
}

function isAnySought(worth: Float32Array): boolean {
  for (let line = 0; line < worth.length; line++) if (worth[line]! >= SOUGHT) return true
  return false
}

/** The names of hidden definitions, each after its line; one that is defined several times in a row is named once. */
function namesBetween(listed: ReadonlyMap<number, OutlineSymbol>, start: number, end: number): string[] {
  const names: string[] = []
  let at: number[] = []
  let name = ''
  const flush = (): void => void (at.length > 0 && names.push(`${at.join(', ')} ${name}`))
  for (let line = start; line <= end; line++) {
    const symbol = listed.get(line)
    if (symbol === undefined) continue
    if (nameOf(symbol) !== name || at.length >= MOST_LIKE) {
      flush()
      at = []
      name = nameOf(symbol)
    }
    at.push(line)
  }
  flush()
  return names
}

function byDepth(symbols: readonly OutlineSymbol[]): OutlineSymbol[][] {
  const levels: OutlineSymbol[][] = []
  for (const symbol of symbols) (levels[symbol.depth] ??= []).push(symbol)
  const span = ({ line, endLine }: OutlineSymbol): number => endLine - line
  return levels.flatMap((level) => [level.toSorted((one, other) => span(other) - span(one) || one.line - other.line)])
}

function capped(line: string): string {
  return line.length <= LINE_CAP ? line : `${cutAtGrapheme(line, LINE_CAP)}[…]`
}

function nameOf({ name }: OutlineSymbol): string {
  return name.length <= NAME_CAP ? name : `${cutAtGrapheme(name, NAME_CAP)}…`
}

const nameCosts = new WeakMap<OutlineSymbol, number>()

function nameCost(symbol: OutlineSymbol): number {
  let cost = nameCosts.get(symbol)
  if (cost === undefined) {
    cost = NUMBER_TOKENS - 1 + (symbol.line > 999 ? 1 : 0) + estimateTokens(nameOf(symbol)) / MARGIN
    nameCosts.set(symbol, cost)
  }
  return cost
}
