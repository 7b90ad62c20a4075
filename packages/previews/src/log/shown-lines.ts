import { formatCount, estimateTokens } from '@spillway/text/internal'
import { showLine } from './show-line.ts'
import type { ScannedLine } from './text-scan.ts'

/** How many like lines, of a severity or of at least what score, are worth saying. */
const LEAST_REPEATS = 5
const REPEATS_SCORE = 0.2

/** Lines of this score are shown at more length. */
const HIGH_SCORE = 0.5

/** What is shown of each of some lines, each cut to a number of units, and its tokens: worked out where needed. */
export class ShownLines {
  readonly lines: readonly ScannedLine[]
  readonly #endShare: number
  readonly #scores: Float64Array | undefined
  #cap = 0
  #shown: (string | undefined)[] = []
  #costs: (number | undefined)[] = []
  #firsts: ReadonlySet<number> | undefined

  /**
   * @param endShare - Of the units that a long line shows, how many are its last ones.
   * @param scores - The scores of the lines: the first of many like lines that matter says how many there are.
   */
  constructor(lines: readonly ScannedLine[], endShare: number, scores?: Float64Array) {
    this.lines = lines
    this.#endShare = endShare
    this.#scores = scores
  }

  /** Show at most so many UTF-16 units of each line. */
  setCap(cap: number): void {
    if (cap === this.#cap) return
    this.#cap = cap
    this.#shown = []
    this.#costs = []
  }

  show(index: number): string {
    return (this.#shown[index] ??=
      showLine(this.lines[index]!, this.#capOf(index), this.#endShare) + this.#repeated(index))
  }

  cost(index: number): number {
    return (this.#costs[index] ??= estimateTokens(this.show(index)) + 1)
  }

  /** The tokens of all lines, as far as they are no more than `limit`. */
  allCost(limit: number): number {
    let cost = 0
    for (let index = 0; index < this.lines.length && cost <= limit; index++) cost += this.cost(index)
    return cost
  }

  /** What matters most is shown at more length. */
  #capOf(index: number): number {
    return (this.#scores?.[index] ?? 0) >= HIGH_SCORE ? this.#cap * 2 : this.#cap
  }

  #repeated(index: number): string {
    const line = this.lines[index]!
    if (this.#scores === undefined || line.repeats < LEAST_REPEATS) return ''
    if (line.severity === 0 && this.#scores[index]! < REPEATS_SCORE) return ''
    this.#firsts ??= firstOfEach(this.lines)
    return this.#firsts.has(index) ? ` [× ${formatCount(line.repeats)}]` : ''
  }
}

/** The first lines of all that are alike but for their numbers. */
function firstOfEach(lines: readonly ScannedLine[]): Set<number> {
  const seen = new Set<number>()
  const firsts = new Set<number>()
  for (const [index, line] of lines.entries()) {
    if (line.repeats < LEAST_REPEATS || seen.has(line.template)) continue
    seen.add(line.template)
    firsts.add(index)
  }
  return firsts
}
