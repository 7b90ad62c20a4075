import type { ShownLines } from './shown-lines.ts'
import type { ScannedLine } from './text-scan.ts'

/** Lines chosen of those that a scan has kept: 1 for each that is shown. */
export type ChosenLines = Uint8Array

/** What a choice of lines may cost. */
export interface ChoiceBudget {
  readonly tokens: number
  /** Tokens of a gap, with the number of the line after it. */
  readonly gapTokens: number
  /** Lines of the whole text. */
  readonly textLines: number
}

/** More blank lines are a gap. */
const MOST_BLANKS = 2
/** Tokens that hardly show a line. */
const FEW_TOKENS = 12
/** What a line costs beside its tokens: short lines are not worth much more for being short. */
const BASE_TOKENS = 20

/** Take lines from both ends in turn, so that each end has its share of the tokens. */
export function chooseEnds(shown: ShownLines, budget: ChoiceBudget, headShare: number): ChosenLines {
  const chosen = new Uint8Array(shown.lines.length)
  let left = budget.tokens - budget.gapTokens
  let head = 0
  let tail = shown.lines.length - 1
  let spentHead = 0
  let spentTail = 0
  while (head <= tail) {
    const atHead = spentHead * (1 - headShare) <= spentTail * headShare
    const index = atHead ? head++ : tail--
    const cost = shown.cost(index)
    if (cost > left) {
      if (atHead ? spentTail === 0 : spentHead === 0) continue
      break
    }
    left -= cost
    if (atHead) spentHead += cost
    else spentTail += cost
    chosen[index] = 1
  }
  return chosen
}

/** Take the lines worth most for their tokens. A line that stands alone costs a gap as well. */
export function chooseBest(shown: ShownLines, budget: ChoiceBudget, values: Float64Array): ChosenLines {
  const chosen = new Uint8Array(shown.lines.length)
  const rates = values.map((value, index) => value / Math.sqrt(shown.cost(index) + BASE_TOKENS))
  const order = [...rates.keys()]
    .filter((index) => values[index]! > 0)
    .toSorted((one, other) => rates[other]! - rates[one]! || one - other)
  let left = budget.tokens - budget.gapTokens
  // What gaps that were filled have saved is spent in a second round.
  for (let round = 0; round < 2; round++) {
    for (const index of order) {
      if (chosen[index] === 1) continue
      const cost = shown.cost(index) + gapCost(shown, budget, chosen, index)
      if (cost > left) {
        if (left < FEW_TOKENS) break
        continue
      }
      chosen[index] = 1
      left -= cost
    }
    left += fillGaps(shown, budget, chosen)
  }
  fillEnds(shown, budget, chosen, left)
  return chosen
}

/** With what is left, go on from both ends: a large budget shows lines that are worth nothing by themselves too. */
function fillEnds(shown: ShownLines, budget: ChoiceBudget, chosen: ChosenLines, tokens: number): void {
  let left = tokens
  let head = 0
  let tail = chosen.length - 1
  for (let turn = 0; head <= tail && left >= FEW_TOKENS; turn++) {
    const index = turn % 2 === 0 ? head++ : tail--
    if (chosen[index] === 1) continue
    const cost = shown.cost(index) + gapCost(shown, budget, chosen, index)
    if (cost > left) continue
    chosen[index] = 1
    left -= cost
  }
}

/** Tokens of the gaps that a line adds, or spares where it closes one. */
function gapCost(shown: ShownLines, budget: ChoiceBudget, chosen: ChosenLines, index: number): number {
  return (1 - shownSides(shown, budget, chosen, index)) * budget.gapTokens
}
/** On how many sides a line would stand beside one that is shown. */
function shownSides({ lines }: ShownLines, { textLines }: ChoiceBudget, chosen: ChosenLines, index: number): number {
  const before = (index === 0 || chosen[index - 1] === 1) && isBeside(lines, index)
  const after =
    index === lines.length - 1
      ? textLines - lines[index]!.number <= 1
      : chosen[index + 1] === 1 && isBeside(lines, index + 1)
  return (before ? 1 : 0) + (after ? 1 : 0)
}

/** Whether nothing but a few blank lines stands between a kept line and the one before it, or the start of the text. */
export function isBeside(lines: readonly ScannedLine[], index: number): boolean {
  const { number, blanksBefore } = lines[index]!
  return blanksBefore <= MOST_BLANKS && number - (lines[index - 1]?.number ?? 0) - 1 === blanksBefore
}

/** Show what costs no more than to say that it is hidden. Returns the tokens saved. */
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
