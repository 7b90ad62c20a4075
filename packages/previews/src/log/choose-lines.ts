import { cutAtGrapheme, estimateTokens, formatCount } from '@spillway/text/internal'
import type { Sought } from '../layout/wanted-words.ts'
import { severityAt } from './line-words.ts'
import type { ScannedLine } from './text-scan.ts'

/** Smallest hidden part in UTF-16 units. A smaller part would save fewer tokens than the mark needs. */
const MARK_UNITS = 60
/** Number of UTF-16 units shown before a match. */
const BEFORE_MATCH = 60

/** Show about `cap` UTF-16 units of a line: its start, text around `found`, and a share `endShare` for its end. */
export function showLine(line: ScannedLine, cap: number, endShare: number, found?: number): string {
  if (fits(line, cap)) return line.text
  const endUnits = Math.floor(cap * endShare)
  const end = cutAtGrapheme(line.hidden === 0 ? line.text : line.end, endUnits, true)
  let start = cutAtGrapheme(line.text, cap - endUnits)
  const length = line.text.length + line.hidden + line.end.length
  const at = found ?? severityAt(line.text)
  if (at > start.length - 40 && at < line.text.length - end.length) {
    // A match after the start gets a part of the space.
    start = cutAtGrapheme(start, Math.floor(start.length * 0.4))
    const from =
      line.text.length -
      cutAtGrapheme(line.text, line.text.length - Math.max(start.length, at - BEFORE_MATCH), true).length
    const match = cutAtGrapheme(line.text.slice(from), cap - endUnits - start.length)
    const rest = length - from - match.length - end.length
    if (rest > 0) return `${start}${mark(from - start.length)}${match}${mark(rest)}${end}`
    // If the match is near the end, the end of the line shows it.
    const last = cutAtGrapheme(line.text, cap - start.length, true)
    return `${start}${mark(length - start.length - last.length)}${last}`
  }
  return `${start}${mark(length - start.length - end.length)}${end}`
}

const fits = ({ hidden, text }: ScannedLine, cap: number): boolean =>
  hidden === 0 && text.length <= cap + Math.min(cap * 0.25, MARK_UNITS)

function mark(units: number): string {
  return units <= 0 ? '' : `[… ${formatCount(units)} more characters …]`
}

/** Number of similar lines from which their number is shown, if they have a severity or this score. */
const LEAST_REPEATS = 5
const REPEATS_SCORE = 0.2
/** Score from which a line may be longer. */
const HIGH_SCORE = 0.5

/** The shown text of each line and its number of tokens, both computed on demand. */
export class ShownLines {
  readonly lines: readonly ScannedLine[]
  readonly #endShare: number
  readonly #scores: Float64Array | undefined
  readonly #sought: Sought | undefined
  #cap = 0
  #shown: (string | undefined)[] = []
  #costs: (number | undefined)[] = []
  readonly #severities: (number | undefined)[] = []
  #order: readonly number[] | undefined
  #firsts: ReadonlySet<number> | undefined

  /**
   * @param endShare - Share of a long line that is shown from its end. The remaining part is from its start.
   * @param scores - Scores of the lines. The first of many similar lines shows their number.
   * @param sought - Words that the call searches for. A long line with such a word shows the text around it.
   */
  constructor(lines: readonly ScannedLine[], endShare: number, scores?: Float64Array, sought?: Sought) {
    this.lines = lines
    this.#endShare = endShare
    this.#scores = scores
    this.#sought = sought
  }

  /** Set the length of shown lines in UTF-16 units. Lines that fit both the old and the new length stay cached. */
  setCap(cap: number): void {
    const least = Math.min(cap, this.#cap)
    this.#cap = cap
    for (let index = 0; index < this.#shown.length; index++) {
      if (this.#shown[index] === undefined || fits(this.lines[index]!, least)) continue
      this.#shown[index] = undefined
      this.#costs[index] = undefined
      this.#order = undefined
    }
  }

  /** Return the indexes of lines with a value, the lines with the highest value for their tokens first. */
  order(values: Float64Array): readonly number[] {
    if (this.#order !== undefined) return this.#order
    const rates = values.map((value, index) => (value > 0 ? value / Math.sqrt(this.cost(index) + BASE_TOKENS) : 0))
    const valued: number[] = []
    for (let index = 0; index < rates.length; index++) if (rates[index]! > 0) valued.push(index)
    return (this.#order = valued.sort((one, other) => rates[other]! - rates[one]! || one - other))
  }

  show(index: number): string {
    const line = this.lines[index]!
    const shown = this.#shown[index]
    if (shown !== undefined) return shown
    const cap = this.#capOf(index)
    let found = this.#isSought(index) ? this.#sought!.places[index] : undefined
    // Drafts show a line with different lengths, but its severity is searched once.
    if (found === undefined && !fits(line, cap)) found = this.#severities[index] ??= severityAt(line.text)
    return (this.#shown[index] = showLine(line, cap, this.#endShare, found) + this.#repeated(index))
  }

  cost(index: number): number {
    return (this.#costs[index] ??= estimateTokens(this.show(index)) + 1)
  }

  /** Return the tokens of all lines. Counting stops above `limit`. */
  allCost(limit: number): number {
    let cost = 0
    for (let index = 0; index < this.lines.length && cost <= limit; index++) cost += this.cost(index)
    return cost
  }

  #capOf(index: number): number {
    return this.#isSought(index) || (this.#scores?.[index] ?? 0) >= HIGH_SCORE ? this.#cap * 2 : this.#cap
  }

  #isSought(index: number): boolean {
    return this.#sought !== undefined && this.#sought.counts[index]! > 0
  }

  #repeated(index: number): string {
    const line = this.lines[index]!
    if (this.#scores === undefined || line.repeats < LEAST_REPEATS) return ''
    if (line.severity === 0 && this.#scores[index]! < REPEATS_SCORE) return ''
    this.#firsts ??= firstOfEach(this.lines)
    return this.#firsts.has(index) ? ` [× ${formatCount(line.repeats)}]` : ''
  }
}

/** Return the index of the first line of each template. Lines with the same template differ only in numbers. */
function firstOfEach(lines: readonly ScannedLine[]): Set<number> {
  const firsts = new Map<number, number>()
  for (let index = 0; index < lines.length; index++) {
    const { repeats, template } = lines[index]!
    if (repeats >= LEAST_REPEATS && !firsts.has(template)) firsts.set(template, index)
  }
  return new Set(firsts.values())
}

/** For each line, 1 if it is shown, else 0. */
export type ChosenLines = Uint8Array

interface ChoiceBudget {
  readonly tokens: number
  /** Number of tokens in a gap mark and the line number after it. */
  readonly gapTokens: number
  readonly textLines: number
  /** Share of the tokens for lines from both ends, which are chosen first, and share of the first lines of these. */
  readonly endsShare: number
  readonly headShare: number
  /** Index of the line that must be shown with each line, or -1. */
  readonly parents?: Int32Array | undefined
}

/** Largest number of blank lines that are shown. More blank lines count as a gap. */
const MOST_BLANKS = 2
/** Number of tokens below which no more line is tried. */
const FEW_TOKENS = 12
/** Added to the tokens of a line when its value per token is computed, so that short lines do not win too often. */
const BASE_TOKENS = 20

/**
 * Choose lines from both ends, and then the lines with the highest value for their tokens, with their parents. A line
 * without a shown neighbor also pays for a gap.
 */
export function chooseLines(shown: ShownLines, budget: ChoiceBudget, values: Float64Array): ChosenLines {
  const chosen = new Uint8Array(shown.lines.length)
  const order = shown.order(values)
  let left = budget.tokens - budget.gapTokens
  const forEnds = left * budget.endsShare
  left += fillEnds(shown, budget, chosen, forEnds) - forEnds
  // The second round uses the tokens that filled gaps have saved.
  for (let round = 0; round < 2; round++) {
    for (const index of order) {
      if (chosen[index] === 1) continue
      let cost = 0
      let top = index
      for (let at = index; at >= 0 && chosen[at] === 0 && cost <= left; at = budget.parents?.[at] ?? -1) {
        cost += shown.cost(at) + gapCost(shown, budget, chosen, at)
        chosen[at] = 1
        top = at
      }
      if (cost <= left) left -= cost
      else {
        for (let at = index; ; at = budget.parents![at]!) {
          chosen[at] = 0
          if (at === top) break
        }
        if (left < FEW_TOKENS) break
      }
    }
    left += fillGaps(shown, budget, chosen)
  }
  // A large budget also shows lines without a value.
  fillEnds(shown, budget, chosen, left)
  return chosen
}

/** Choose more lines from both ends in turn. Returns the remaining tokens. */
function fillEnds(shown: ShownLines, budget: ChoiceBudget, chosen: ChosenLines, tokens: number): number {
  const { headShare } = budget
  let left = tokens
  const spent = [0, 0]
  for (let head = 0, tail = chosen.length - 1; head <= tail && left >= FEW_TOKENS;) {
    const end = spent[0]! * (1 - headShare) <= spent[1]! * headShare ? 0 : 1
    const index = end === 0 ? head++ : tail--
    if (chosen[index] === 1) continue
    const cost = shown.cost(index) + gapCost(shown, budget, chosen, index)
    if (cost > left) break
    chosen[index] = 1
    left -= cost
    spent[end]! += cost
  }
  return left
}

/** Return the tokens for gaps if a line is shown. The number is negative if the line closes a gap. */
function gapCost({ lines }: ShownLines, budget: ChoiceBudget, chosen: ChosenLines, index: number): number {
  const before = (index === 0 || chosen[index - 1] === 1) && isBeside(lines, index)
  const after =
    index === lines.length - 1
      ? budget.textLines - lines[index]!.number <= 1
      : chosen[index + 1] === 1 && isBeside(lines, index + 1)
  return (1 - (before ? 1 : 0) - (after ? 1 : 0)) * budget.gapTokens
}

/** Whether at most a few blank lines are between a line and the previous kept line, or the start of the text. */
export function isBeside(lines: readonly ScannedLine[], index: number): boolean {
  const { number, blanksBefore } = lines[index]!
  return blanksBefore <= MOST_BLANKS && number - (lines[index - 1]?.number ?? 0) - 1 === blanksBefore
}

/** Show hidden lines that need at most the tokens of their gap mark. Returns the number of saved tokens. */
function fillGaps(shown: ShownLines, { gapTokens }: ChoiceBudget, chosen: ChosenLines): number {
  const { lines } = shown
  let saved = 0
  let last = -1
  for (let index = 0; index < chosen.length; index++) {
    if (chosen[index] === 0) continue
    let cost = 0
    let near = last >= 0 && index - last > 1
    for (let hidden = last + 1; near && hidden <= index; hidden++) {
      near = isBeside(lines, hidden)
      if (hidden < index) cost += shown.cost(hidden)
      near &&= cost <= gapTokens
    }
    if (near) {
      chosen.fill(1, last + 1, index)
      saved += gapTokens - cost
    }
    last = index
  }
  return saved
}
