import { estimateTokens } from '@spillway/text/internal'
import type { Draft } from '../layout/fit-budget.ts'
import { countOf, GapMarks } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { chooseBest, chooseEnds, isBeside, type ChosenLines } from './choose-lines.ts'
import { cutPrefixes } from './line-prefixes.ts'
import { lineValues } from './line-values.ts'
import { ERROR, WARNING } from './severity.ts'
import { ShownLines } from './shown-lines.ts'
import { textNature } from './text-nature.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

/** Tokens of the line number after a gap, about. */
const NUMBER_TOKENS = 3
/** Tokens of the line that says how many lines there are. */
const HEADER_TOKENS = 7
/** Share of the budget that the call of the first gap has at most. */
const CALL_SHARE = 0.25
/** Share of the budget that one line has at most while other lines are hidden. */
const LINE_SHARE = 0.15
/** Of a small budget, one line has a larger share: so many tokens, or that share if they are more. */
const FEW_TOKENS = 40
const LARGE_SHARE = 0.4
/** Longest part of a line that is shown then, in UTF-16 units. */
const MOST_CAP = 1_200
/** Texts of so few lines show all of them, cut as needed. */
const FEW_LINES = 4
/** The score of a line that stands out. */
const LEAST_SCORE = 0.1

/** Chooses the lines of one text that are shown, and writes them. */
export class PreviewLayout {
  readonly #scan: TextScan
  readonly #options: PreviewOptions
  readonly #lines: readonly ScannedLine[]
  readonly #shown: ShownLines
  /** UTF-16 units of a token, about. */
  readonly #unitsPerToken: number
  /** Says what is cut from lines. */
  readonly #note: string
  readonly #values: Float64Array | undefined
  readonly #gapTokens: number
  /** Tokens of the call that the first gap shows. */
  readonly #callTokens: number
  /** What gaps are written with. */
  readonly #gaps: Pick<PreviewOptions, 'showLines'>

  constructor(scan: TextScan, options: PreviewOptions, isLog: boolean) {
    this.#scan = scan
    this.#options = options
    const nature = isLog ? 'output' : textNature(scan)
    const { lines, note } = cutPrefixes(scan.kept, nature === 'output')
    this.#lines = lines
    this.#note = note
    this.#unitsPerToken = unitsPerToken(lines)
    const found = nature === 'output' ? scan.scores() : undefined
    const own = found && Float64Array.from(lines, ({ number }) => found.scores.get(number) ?? 0)
    const isRanked = found !== undefined && own !== undefined && (found.odd.size > 0 || isTelling(scan, lines, own))
    this.#values = isRanked ? lineValues(lines, own, found.odd, options.budgetTokens) : undefined
    this.#shown = new ShownLines(lines, nature === 'data' ? 0.5 : 0.2, this.#values === undefined ? undefined : own)
    this.#gapTokens = estimateTokens(new GapMarks({}).write(1_000, 1_999)) + NUMBER_TOKENS
    const callTokens = estimateTokens(options.showLines?.(1_000, 1_999) ?? '')
    const isTiny = callTokens > options.budgetTokens * CALL_SHARE
    this.#callTokens = isTiny ? 0 : callTokens
    this.#gaps = isTiny ? {} : options
  }

  /** The least that a preview says. */
  get header(): string {
    return `[${countOf(this.#scan.lines, 'line')}]`
  }

  /** Write a preview of about `aim` tokens. */
  write(aim: number): Draft {
    const shown = this.#shown
    shown.setCap(this.#lineCap(aim))
    if (this.#isAllKept() && (this.#lines.length <= FEW_LINES || shown.allCost(aim) <= aim)) return this.#writeAll(aim)
    const tokens = aim - HEADER_TOKENS - this.#callTokens
    const budget = { tokens, gapTokens: this.#gapTokens, textLines: this.#scan.lines }
    const chosen =
      this.#values === undefined
        ? chooseEnds(shown, budget, this.#options.isError === true ? 0.1 : 0.5)
        : chooseBest(shown, budget, this.#values)
    return { text: chosen.includes(1) ? this.#assemble(chosen) : this.header, complete: false }
  }

  /** Show every line, the long ones as far as there is room. */
  #writeAll(aim: number): Draft {
    const shown = this.#shown
    let low = this.#lines.length <= FEW_LINES ? 8 : this.#lineCap(aim)
    const longest = this.#lines.reduce((most, line) => Math.max(most, line.text.length + line.end.length), 0)
    let high = Math.min(longest, aim * 8)
    while (high - low > 8) {
      const middle = Math.floor((low + high) / 2)
      shown.setCap(middle)
      if (shown.allCost(aim) <= aim) low = middle
      else high = middle
    }
    shown.setCap(low)
    const complete = this.#lines.every((line) => line.hidden === 0 && line.text.length <= low)
    return { text: this.#assemble(new Uint8Array(this.#lines.length).fill(1)), complete }
  }

  /** The longest part of a line that a preview of about `aim` tokens shows. */
  #lineCap(aim: number): number {
    const tokens = Math.min(aim, this.#options.budgetTokens)
    const most = Math.max(tokens * LINE_SHARE, Math.min(FEW_TOKENS, tokens * LARGE_SHARE))
    return Math.ceil(Math.min(MOST_CAP, most * this.#unitsPerToken))
  }

  #isAllKept(): boolean {
    return (
      this.#scan.lines - this.#lines.length <= this.#lines.length &&
      this.#lines.every((_, index) => isBeside(this.#lines, index))
    )
  }

  #assemble(chosen: ChosenLines): string {
    const parts: string[] = []
    const gaps = new GapMarks(this.#gaps)
    if (chosen.includes(0) || this.#note !== '') {
      parts.push(`[${countOf(this.#scan.lines, 'line')}${this.#note}]`)
    }
    let previous: ScannedLine | undefined
    let previousIndex = -1
    for (const [index, line] of this.#lines.entries()) {
      if (chosen[index] === 0) continue
      const from = (previous?.number ?? 0) + 1
      const shown = this.#shown.show(index)
      if (previousIndex === index - 1 && isBeside(this.#lines, index)) {
        for (let blank = from; blank < line.number; blank++) parts.push('')
        parts.push(shown)
      } else {
        parts.push(this.#gap(gaps, previous, from, line))
        parts.push(`${line.number}| ${shown}`)
      }
      previous = line
      previousIndex = index
    }
    const last = previous?.number ?? 0
    if (previousIndex < this.#lines.length - 1 || this.#scan.lines - last > 2)
      parts.push(this.#gap(gaps, previous, last + 1, undefined))
    return parts.join('\n')
  }

  /** Say what stands hidden between two lines. */
  #gap(gaps: GapMarks, previous: ScannedLine | undefined, from: number, next: ScannedLine | undefined): string {
    const to = next === undefined ? this.#scan.lines : next.number - 1
    const isRun = previous !== undefined && previous.run > to - from + 1
    return gaps.write(from, to, [...this.#hidden(previous, next), ...(isRun ? ['alike'] : [])].join(', '))
  }

  /** What kinds of lines a gap hides. */
  #hidden(previous: ScannedLine | undefined, next: ScannedLine | undefined): string[] {
    if (this.#values === undefined) return []
    const { errors, warnings } = this.#scan
    const before = previous === undefined ? 0 : previous.errorsBefore + (previous.severity === ERROR ? 1 : 0)
    const warned = previous === undefined ? 0 : previous.warningsBefore + (previous.severity === WARNING ? 1 : 0)
    const hiddenErrors = (next?.errorsBefore ?? errors) - before
    const hiddenWarnings = (next?.warningsBefore ?? warnings) - warned
    return [
      ...(hiddenErrors > 0 ? [countOf(hiddenErrors, 'error')] : []),
      ...(hiddenWarnings > 0 ? [countOf(hiddenWarnings, 'warning')] : []),
    ]
  }
}

/**
 * Whether the lines of a text differ in what they tell: one reports an error or a warning, or one that is unlike most others
 * stands out. In a listing of names, the same words stand everywhere.
 */
function isTelling(scan: TextScan, lines: readonly ScannedLine[], scores: Float64Array): boolean {
  return (
    scan.errors + scan.warnings > 0 ||
    lines.some(({ repeats }, index) => scores[index]! >= LEAST_SCORE && repeats * 2 <= scan.lines)
  )
}

/** UTF-16 units of a token in some lines, about. */
function unitsPerToken(lines: readonly ScannedLine[]): number {
  const sample = lines
    .slice(0, 64)
    .map((line) => line.text.slice(0, 256))
    .join('\n')
  return sample.length / Math.max(1, estimateTokens(sample))
}
