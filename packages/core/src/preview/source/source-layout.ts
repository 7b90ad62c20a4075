import { cutAtGrapheme } from '../../tokens/cut-at-grapheme.ts'
import { estimateTokens } from '../../tokens/estimate-tokens.ts'
import type { Draft } from '../fit-budget.ts'
import { countOf, GapMarks } from '../gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { chooseLines, type LineMarket } from './choose-lines.ts'
import { languageName } from './languages.ts'
import type { OutlineSymbol } from './outline.ts'

/** Source code that has been read, with what its lines are worth. */
export interface ReadSource {
  readonly language: string
  readonly lines: readonly string[]
  readonly symbols: readonly OutlineSymbol[]
  readonly worth: Float32Array
  /** What the header says beside language and length. */
  readonly note: string
}

/** How the budget is shared. */
export interface SourceShares {
  readonly outline: number
  readonly code: number
}

/** Tokens of the header. */
const HEADER_TOKENS = 9
/** Names at the top that are enough for an outline; with fewer, those inside them belong to it. */
const ENOUGH_NAMES = 8
/** Longest part of a line that is shown. */
const LINE_CAP = 240
const MOST_NAME = 80
/** Lines that are given for one name at most. */
const MOST_LIKE = 6
/** Tokens of a line number and what follows it. */
const NUMBER_TOKENS = 3

/** Lays out one file: runs of its lines, and between them the names that hidden lines define. */
export class SourceLayout {
  readonly #source: ReadSource
  readonly #options: PreviewOptions
  readonly #shares: SourceShares
  readonly #shown: (string | undefined)[] = []
  readonly #costs: Float32Array
  readonly #gapTokens: number
  readonly #callTokens: number

  constructor(source: ReadSource, options: PreviewOptions, shares: SourceShares) {
    this.#source = source
    this.#options = options
    this.#shares = shares
    this.#gapTokens = estimateTokens('\n[… 123 lines]\n1234| ')
    this.#callTokens = estimateTokens(options.showLines?.(1_000, 1_999) ?? '')
    this.#costs = Float32Array.from(source.lines.keys(), (index) => estimateTokens(this.#show(index)) / 1.1 + 0.6)
  }

  /** Write a preview of about `aim` tokens. */
  write(aim: number): Draft {
    const { lines, worth } = this.#source
    const room = aim - HEADER_TOKENS - this.#callTokens
    const listed = this.#listed(room)
    const hidden = new Float32Array(lines.length)
    for (const symbol of listed.values()) hidden[symbol.line - 1]! += nameCost(symbol)
    const shown = this.#costs.slice()
    for (const line of listed.keys()) shown[line - 1]! += NUMBER_TOKENS
    const market: LineMarket = { worth, shown, hidden, gap: this.#gapTokens }
    const chosen = chooseLines(market, room)
    return {
      text: this.#assemble(chosen, listed),
      complete: !chosen.includes(0) && lines.every((line) => line.length <= LINE_CAP),
    }
  }

  /** The definitions that are named where their lines are hidden, by line. */
  #listed(room: number): Map<number, OutlineSymbol> {
    const { symbols } = this.#source
    const listed = new Map<number, OutlineSymbol>()
    let left = room * 0.97
    let taken = 0
    let deepest = 0
    for (const { depth } of symbols) deepest = Math.max(deepest, depth)
    let count = 0
    for (let depth = 0; depth <= deepest; depth++) {
      const level = symbols.filter((symbol) => symbol.depth === depth)
      const cost = level.reduce((sum, symbol) => sum + nameCost(symbol), 0)
      if (count >= ENOUGH_NAMES && taken + cost > room * this.#shares.outline) break
      for (const symbol of level.toSorted(
        (one, other) => other.endLine - other.line - (one.endLine - one.line) || one.line - other.line,
      )) {
        const one = nameCost(symbol)
        if (one > left) break
        listed.set(symbol.line, symbol)
        left -= one
        taken += one
      }
      count += level.length
      if (cost > left) break
    }
    return listed
  }

  #show(index: number): string {
    return (this.#shown[index] ??= capped(this.#source.lines[index]!))
  }

  #assemble(chosen: Uint8Array, listed: ReadonlyMap<number, OutlineSymbol>): string {
    const { language, lines, note } = this.#source
    const parts: string[] = [`[${languageName(language)}, ${countOf(lines.length, 'line')}${note}]`]
    const gaps = new GapMarks(this.#options)
    for (let index = 0; index < lines.length;) {
      if (chosen[index] === 1) {
        const isNumbered = listed.has(index + 1) || (index > 0 && chosen[index - 1] === 0)
        parts.push(isNumbered ? `${index + 1}| ${this.#show(index)}` : this.#show(index))
        index++
        continue
      }
      let end = index
      while (end < lines.length && chosen[end] === 0) end++
      parts.push(gaps.write(index + 1, end))
      parts.push(...namesBetween(listed, index + 1, end))
      index = end
    }
    return parts.join('\n')
  }
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

function capped(line: string): string {
  return line.length <= LINE_CAP ? line : `${cutAtGrapheme(line, LINE_CAP)}[…]`
}

function nameOf({ name }: OutlineSymbol): string {
  return name.length <= MOST_NAME ? name : `${cutAtGrapheme(name, MOST_NAME)}…`
}

function nameCost(symbol: OutlineSymbol): number {
  return NUMBER_TOKENS - 1 + (symbol.line > 999 ? 1 : 0) + estimateTokens(nameOf(symbol)) / 1.1
}
