import { formatCount } from '../../content/format-count.ts'
import { estimateTokens } from '../../tokens/estimate-tokens.ts'
import { countOf, GapMarks } from '../gap-marks.ts'
import { cutPrefixes } from './line-prefixes.ts'
import { lineTemplate } from './line-template.ts'
import { lineValues } from './line-values.ts'
import type { PreviewOptions } from '../previewer.ts'
import { showLine } from './show-line.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'
import { textNature } from './text-nature.ts'

/** Tokens of the line number after a gap, about. */
const NUMBER_TOKENS = 3

/** How many like lines, of at least what weight, are worth saying. */
const LEAST_REPEATS = 5
const REPEATS_WEIGHT = 30

/** Of the lines of a program's output, those worth most are considered: this many, and more for a larger budget. */
const LEAST_CONSIDERED = 256

/** Tokens of the line that says how many lines there are. */
const HEADER_TOKENS = 7

/** Share of the budget that one line has at most while other lines are hidden. */
const LINE_SHARE = 0.15
/** Longest part of a line that is shown then, in UTF-16 units. */
const MOST_CAP = 1_200
/** Texts of so few lines show all of them, cut as needed. */
const FEW_LINES = 4

/** Chooses the lines of one text that are shown, and writes them. */
export class PreviewLayout {
  readonly #scan: TextScan
  readonly #options: PreviewOptions
  readonly #lines: readonly ScannedLine[]
  /** What each line shows at most, without its time where times are cut. */
  readonly #lineCap: number
  /** Says what is cut from lines. */
  readonly #note: string
  readonly #values: Float64Array | undefined
  readonly #headShare: number
  readonly #endShare: number
  readonly #gapTokens: number
  /** Tokens of the call that the first gap shows. */
  readonly #callTokens: number
  /** What is shown of each line at most `#cap` units long, and its tokens: worked out where needed. */
  #shown: (string | undefined)[] = []
  #costs: (number | undefined)[] = []
  #cap = 0
  #firsts: ReadonlySet<number> | undefined
  #order: readonly number[] | undefined

  constructor(scan: TextScan, options: PreviewOptions) {
    this.#scan = scan
    this.#options = options
    const nature = textNature(scan)
    const { lines, note } = cutPrefixes(scan.kept, nature === 'output')
    this.#lines = lines
    this.#note = note
    this.#lineCap = lineCap(this.#lines, options.budgetTokens)
    this.#values =
      nature === 'output' && isTelling(scan)
        ? lineValues({ ...scan, kept: lines }, options.isError === true)
        : undefined
    this.#headShare = options.isError === true ? 0.1 : 0.5
    this.#endShare = nature === 'data' ? 0.5 : 0.2
    this.#gapTokens = estimateTokens(new GapMarks({}).write(1_000, 1_999)) + NUMBER_TOKENS
    this.#callTokens = estimateTokens(options.showLines?.(1_000, 1_999) ?? '')
  }

  /** Write a preview of about `aim` tokens, and tell whether it shows everything. */
  write(aim: number): { text: string; complete: boolean } {
    this.#setCap(this.#lineCap)
    if (this.#isAllKept() && (this.#lines.length <= FEW_LINES || this.#allCost(aim) <= aim)) return this.#writeAll(aim)
    const chosen = new Uint8Array(this.#lines.length)
    const left = aim - HEADER_TOKENS - this.#callTokens
    if (this.#values === undefined) this.#chooseEnds(chosen, left)
    else this.#chooseBest(chosen, left, this.#values)
    return { text: this.#assemble(chosen), complete: false }
  }

  /** Show every line, the long ones as far as there is room. */
  #writeAll(aim: number): { text: string; complete: boolean } {
    let low = this.#lines.length <= FEW_LINES ? 8 : this.#lineCap
    const longest = this.#lines.reduce((most, line) => Math.max(most, line.text.length + line.end.length), 0)
    let high = Math.min(longest, aim * 8)
    while (high - low > 8) {
      const middle = Math.floor((low + high) / 2)
      this.#setCap(middle)
      if (this.#allCost(aim) <= aim) low = middle
      else high = middle
    }
    this.#setCap(low)
    const complete = this.#lines.every((line) => line.hidden === 0 && line.text.length <= low)
    return { text: this.#assemble(new Uint8Array(this.#lines.length).fill(1)), complete }
  }

  #setCap(cap: number): void {
    if (cap === this.#cap) return
    this.#cap = cap
    this.#shown = []
    this.#costs = []
  }

  #show(index: number): string {
    return (this.#shown[index] ??= showLine(this.#lines[index]!, this.#cap, this.#endShare) + this.#repeated(index))
  }

  /** Says of the first of many like lines how many there are. */
  #repeated(index: number): string {
    const line = this.#lines[index]!
    if (this.#values === undefined || line.weight < REPEATS_WEIGHT || line.repeats < LEAST_REPEATS) return ''
    this.#firsts ??= firstOfEach(this.#lines)
    return this.#firsts.has(index) ? ` [× ${formatCount(line.repeats)}]` : ''
  }

  #cost(index: number): number {
    return (this.#costs[index] ??= estimateTokens(this.#show(index)) + 1)
  }

  /** The tokens of all lines, as far as they are no more than `limit`. */
  #allCost(limit: number): number {
    let cost = 0
    for (let index = 0; index < this.#lines.length && cost <= limit; index++) cost += this.#cost(index)
    return cost
  }

  #isAllKept(): boolean {
    return (
      this.#scan.lines - this.#lines.length <= this.#lines.length &&
      this.#lines.every((line, index) => {
        return line.number - (this.#lines[index - 1]?.number ?? 0) <= 3
      })
    )
  }

  /** Take lines from both ends in turn, so that each end has its share of the tokens. */
  #chooseEnds(chosen: Uint8Array, tokens: number): void {
    let left = tokens - this.#gapTokens
    let head = 0
    let tail = this.#lines.length - 1
    let spentHead = 0
    let spentTail = 0
    while (head <= tail) {
      const atHead = spentHead * (1 - this.#headShare) <= spentTail * this.#headShare
      const index = atHead ? head++ : tail--
      const cost = this.#cost(index)
      if (cost > left) {
        if (atHead ? spentTail === 0 : spentHead === 0) continue
        break
      }
      left -= cost
      if (atHead) spentHead += cost
      else spentTail += cost
      chosen[index] = 1
    }
  }

  /** Take the lines worth most for their tokens; a line that stands alone costs a gap as well. */
  #chooseBest(chosen: Uint8Array, tokens: number, values: Float64Array): void {
    let left = tokens - this.#gapTokens
    this.#order ??= this.#byRate(values)
    for (let pass = 0; pass < 2; pass++) {
      for (const index of this.#order) {
        if (chosen[index] === 1) continue
        const sides = this.#sides(index, chosen)
        const cost = this.#cost(index) + (sides === 2 ? -this.#gapTokens : sides === 1 ? 0 : this.#gapTokens)
        if (cost > left) {
          if (left < 12) break
          continue
        }
        chosen[index] = 1
        left -= cost
      }
      left += this.#fillGaps(chosen)
    }
  }

  /** Show what costs no more than to say that it is hidden. Returns the tokens saved. */
  #fillGaps(chosen: Uint8Array): number {
    let saved = 0
    let last = -1
    for (let index = 0; index < chosen.length; index++) {
      if (chosen[index] === 0) continue
      let cost = 0
      let near = last >= 0 && index - last > 1
      for (let hidden = last + 1; near && hidden <= index; hidden++) {
        near = this.#lines[hidden]!.number - this.#lines[hidden - 1]!.number <= 2
        if (hidden < index) cost += this.#cost(hidden)
      }
      if (near && cost <= this.#gapTokens) {
        chosen.fill(1, last + 1, index)
        saved += this.#gapTokens - cost
      }
      last = index
    }
    return saved
  }

  /** The lines worth anything, those worth most for their tokens first. */
  #byRate(values: Float64Array): number[] {
    const considered = Math.max(LEAST_CONSIDERED, this.#options.budgetTokens)
    const best = [...values.keys()]
      .filter((index) => values[index]! > 0.5)
      .toSorted((one, other) => values[other]! - values[one]! || one - other)
      .slice(0, considered)
    const rates = new Map(best.map((index) => [index, values[index]! / Math.sqrt(this.#cost(index) + 20)]))
    return best.toSorted((one, other) => rates.get(other)! - rates.get(one)! || one - other)
  }

  /** On how many sides a line would stand beside one that is shown. */
  #sides(index: number, chosen: Uint8Array): number {
    const lines = this.#lines
    const number = lines[index]!.number
    const before = index === 0 ? number <= 2 : chosen[index - 1] === 1 && number - lines[index - 1]!.number <= 2
    const after =
      index === lines.length - 1
        ? this.#scan.lines - number <= 1
        : chosen[index + 1] === 1 && lines[index + 1]!.number - number <= 2
    return (before ? 1 : 0) + (after ? 1 : 0)
  }

  #assemble(chosen: Uint8Array): string {
    const parts: string[] = []
    const gaps = new GapMarks(this.#options)
    if (chosen.includes(0) || this.#note !== '') {
      parts.push(`[${countOf(this.#scan.lines, 'line')}${this.#note}]`)
    }
    let previous: ScannedLine | undefined
    let previousIndex = -1
    for (const [index, line] of this.#lines.entries()) {
      if (chosen[index] === 0) continue
      const from = (previous?.number ?? 0) + 1
      // Blank lines alone are no gap.
      const blank = previousIndex === index - 1 && line.number - from <= 2
      if (line.number > from && !blank) parts.push(gaps.write(from, line.number - 1, this.#hidden(previous, line)))
      parts.push(line.number === from ? this.#show(index) : `${line.number}| ${this.#show(index)}`)
      previous = line
      previousIndex = index
    }
    const last = previous?.number ?? 0
    if (previousIndex < this.#lines.length - 1 || this.#scan.lines - last > 2) {
      parts.push(gaps.write(last + 1, this.#scan.lines, this.#hidden(previous, undefined)))
    }
    return parts.join('\n')
  }

  /** What kinds of lines a gap hides. */
  #hidden(previous: ScannedLine | undefined, next: ScannedLine | undefined): string {
    if (this.#values === undefined) return ''
    const { errors, warnings } = this.#scan
    const before = previous === undefined ? 0 : previous.errorsBefore + previous.errors
    const warned = previous === undefined ? 0 : previous.warningsBefore + previous.warnings
    const hiddenErrors = (next?.errorsBefore ?? errors) - before
    const hiddenWarnings = (next?.warningsBefore ?? warnings) - warned
    return [
      ...(hiddenErrors > 0 ? [countOf(hiddenErrors, 'error')] : []),
      ...(hiddenWarnings > 0 ? [countOf(hiddenWarnings, 'warning')] : []),
    ].join(', ')
  }
}

/**
 * Whether the weights of lines tell anything: some line surely reports a failure or a warning, or a few perhaps do. In a
 * listing of names and messages, the same words stand everywhere.
 */
function isTelling(scan: TextScan): boolean {
  if (scan.kept.some((line) => line.weight >= 72 || line.signal === 'warning')) return true
  return scan.errors > 0 && scan.errors <= Math.max(5, scan.lines / 100)
}

/** The longest part of a line that is shown: less of text with many tokens to a character. */
function lineCap(lines: readonly ScannedLine[], budgetTokens: number): number {
  const sample = lines
    .slice(0, 64)
    .map((line) => line.text.slice(0, 256))
    .join('\n')
  const unitsPerToken = sample.length / Math.max(1, estimateTokens(sample))
  return Math.ceil(Math.min(MOST_CAP, budgetTokens * LINE_SHARE * unitsPerToken))
}

/** The first lines of all that are alike but for their numbers. */
function firstOfEach(lines: readonly ScannedLine[]): Set<number> {
  const seen = new Set<number>()
  const firsts = new Set<number>()
  for (const [index, line] of lines.entries()) {
    if (line.repeats < LEAST_REPEATS) continue
    const template = lineTemplate(line.text)
    if (!seen.has(template)) firsts.add(index)
    seen.add(template)
  }
  return firsts
}
