import { estimateTokens } from '@spillway/text/internal'
import { type Draft, fitBudget } from '../layout/fit-budget.ts'
import { countOf, GapMarks } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { chooseBest, chooseEnds, type ChosenLines, isBeside, ShownLines } from './choose-lines.ts'
import { cutPrefixes } from './line-prefixes.ts'
import { ERROR, WARNING } from './line-words.ts'
import { textNature } from './text-nature.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

/** A share of the score of a line that the lines beside it, and all lines of its block, have at least. */
const NEIGHBOR = 0.7
/** Longer blocks, of lines without a blank one between them, are no unit that is shown whole. */
const MOST_BLOCK_LINES = 30
/** Tokens of a preview for each line that a block may have: a small preview has no room for blocks. */
const BLOCK_LINE_TOKENS = 20
/** What a line is still worth if a line with the same words is worth as much. */
const REPEATED = 0.75
/** What each next line of a run of lines that are alike is worth of the one before, until the rest is worth nothing. */
const RUN = 0.8
const LEAST_SHARE = 0.05

/** What the first and the last line are worth at least: they say what was run, and how it ended. */
const END_LINE = 0.5

/** What a line that is unlike all others is worth: it is shown before everything else. */
const ODD_LINE = 2

/** What each word that a call looks for adds to a line, up to a number of them, and the most lines that such a word may be in. */
const SOUGHT = 0.5
const MOST_SOUGHT = 3
const MOST_LINES_OF_WORD = 8

/** How much each kept line is worth showing: its score, what it has from the lines beside it, less for what is said twice. */
function lineValues(
  lines: readonly ScannedLine[],
  scores: Float64Array,
  odd: ReadonlySet<number>,
  sought: Uint8Array | undefined,
  budgetTokens: number,
): Float64Array {
  const values = scores.map((score, index) =>
    Math.max(
      score,
      isNext(lines, index) ? NEIGHBOR * scores[index - 1]! : 0,
      isNext(lines, index + 1) ? NEIGHBOR * scores[index + 1]! : 0,
    ),
  )
  raiseBlocks(lines, scores, values, Math.min(MOST_BLOCK_LINES, budgetTokens / BLOCK_LINE_TOKENS))
  for (const end of [0, values.length - 1]) values[end] = Math.max(values[end]!, END_LINE)
  lowerRepeats(lines, values)
  lowerRuns(lines, values)
  for (const [index, { number }] of lines.entries())
    if (odd.has(number)) values[index] = ODD_LINE * (1 + scores[index]!)
  return sought === undefined
    ? values
    : values.map((value, index) => value + SOUGHT * Math.min(MOST_SOUGHT, sought[index]!))
}

/** The number of rare words in each line that a call looks for; `undefined` if no line has any. */
function countSought(lines: readonly ScannedLine[], words: readonly string[]): Uint8Array | undefined {
  if (words.length === 0) return undefined
  const counts = new Uint8Array(lines.length)
  const texts = lines.map(({ text, end }) => `${text}\n${end}`.toLowerCase())
  for (const word of new Set(words.map((each) => each.toLowerCase()))) {
    const found: number[] = []
    for (let index = 0; index < texts.length && found.length <= MOST_LINES_OF_WORD; index++)
      if (texts[index]!.includes(word)) found.push(index)
    if (found.length <= MOST_LINES_OF_WORD) for (const index of found) counts[index]!++
  }
  return counts.includes(1) ? counts : undefined
}

/** What a failure says stands in a block: its head, its message, and its frames. */
function raiseBlocks(
  lines: readonly ScannedLine[],
  scores: Float64Array,
  values: Float64Array,
  mostLines: number,
): void {
  let start = 0
  for (let end = 1; end <= lines.length; end++) {
    if (isNext(lines, end) && lines[end]!.blanksBefore === 0) continue
    if (end - start <= mostLines) {
      const least = NEIGHBOR * scores.subarray(start, end).reduce((best, score) => Math.max(best, score), 0)
      for (let index = start; index < end; index++) values[index] = Math.max(values[index]!, least)
    }
    start = end
  }
}

/** Of lines with the same words, the one worth most stays so. */
function lowerRepeats(lines: readonly ScannedLine[], values: Float64Array): void {
  const best = new Map<number, number>()
  for (const [index, { template }] of lines.entries()) {
    const known = best.get(template)
    if (known === undefined || values[index]! > values[known]!) best.set(template, index)
  }
  for (const [index, { template }] of lines.entries()) {
    if (best.get(template) !== index) values[index]! *= REPEATED
  }
}

/** The first of many lines that are alike says how many there are. */
function lowerRuns(lines: readonly ScannedLine[], values: Float64Array): void {
  let share = 1
  for (let index = 1; index < lines.length; index++) {
    share = isNext(lines, index) && lines[index]!.template === lines[index - 1]!.template ? share * RUN : 1
    values[index]! *= share < LEAST_SHARE ? 0 : share
  }
}

/** Whether nothing but blank lines stands between a line and the one kept before it. */
function isNext(lines: readonly ScannedLine[], index: number): boolean {
  const line = lines[index]
  const previous = lines[index - 1]
  return line !== undefined && previous !== undefined && line.number - previous.number === line.blanksBefore + 1
}

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
class PreviewLayout {
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

  constructor(scan: TextScan, options: PreviewOptions, { isLog = false, words = [] }: TextPreviewHints) {
    this.#scan = scan
    this.#options = options
    const nature = isLog ? 'output' : textNature(scan)
    const { lines, note } = cutPrefixes(scan.kept, nature === 'output')
    this.#lines = lines
    this.#note = note
    this.#unitsPerToken = unitsPerToken(lines)
    const found = nature === 'output' ? scan.scores() : undefined
    const own = found && Float64Array.from(lines, ({ number }) => found.scores.get(number) ?? 0)
    const sought = found && countSought(lines, words)
    const isRanked =
      found !== undefined &&
      own !== undefined &&
      (found.odd.size > 0 || sought !== undefined || isTelling(scan, lines, own))
    this.#values = isRanked ? lineValues(lines, own, found.odd, sought, options.budgetTokens) : undefined
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

/** What else is known of a scanned text. */
interface TextPreviewHints {
  /** Whether it surely is the output of a program. */
  readonly isLog?: boolean
  /** What the call looks for. */
  readonly words?: readonly string[]
}

/**
 * Write the preview of a scanned text: its first lines, its last lines, and the lines between that matter, each run of
 * lines with the number of its first and each gap with what it hides.
 *
 * `countTokens` of the result is at most `budgetTokens`: where that allows nothing, the result is empty. The same scan and
 * options always give the same preview.
 */
export function renderTextPreview(scan: TextScan, options: PreviewOptions, hints: TextPreviewHints = {}): string {
  if (!(options.budgetTokens > 0) || scan.kept.length === 0) return ''
  const layout = new PreviewLayout(scan, options, hints)
  const preview = fitBudget((aim) => layout.write(aim), options)
  if (preview !== '') return preview
  return options.countTokens(layout.header) <= options.budgetTokens ? layout.header : ''
}
