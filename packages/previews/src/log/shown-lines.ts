import { formatCount, estimateTokens } from '@spillway/text/internal'
import { showLine } from './show-line.ts'
import type { ScannedLine } from './text-scan.ts'

/** How many like lines, of at least what weight or surprise, are worth saying. */
const LEAST_REPEATS = 5
const REPEATS_WEIGHT = 30

/** Lines of this weight are shown at more length. */
const TELLING_WEIGHT = 72

/** What is shown of each of some lines, each cut to a number of units, and its tokens: worked out where needed. */
export class ShownLines {
  readonly lines: readonly ScannedLine[]
  readonly #endShare: number
  readonly #sayRepeats: boolean
  #cap = 0
  #shown: (string | undefined)[] = []
  #costs: (number | undefined)[] = []
  #firsts: ReadonlySet<number> | undefined

  /**
   * @param endShare - Of the units that a long line shows, how many are its last ones.
   * @param sayRepeats - Whether the first of many like lines that matter says how many there are.
   */
  constructor(lines: readonly ScannedLine[], endShare: number, sayRepeats: boolean) {
    this.lines = lines
    this.#endShare = endShare
    this.#sayRepeats = sayRepeats
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
    return this.#sayRepeats && this.lines[index]!.weight >= TELLING_WEIGHT ? this.#cap * 2 : this.#cap
  }

  #repeated(index: number): string {
    const line = this.lines[index]!
    if (!this.#sayRepeats || line.weight < REPEATS_WEIGHT || line.repeats < LEAST_REPEATS) return ''
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
