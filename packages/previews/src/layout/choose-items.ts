import type { Item } from './preview-model.ts'

/** Items in order, with the lines that are needed to detect gaps between them. */
export interface ItemRow {
  readonly items: readonly Item[]
  /** Index of each item's parent, or -1. */
  readonly parents: Int32Array
  /** First and last line of the text. */
  readonly from: number
  readonly lines: number
  readonly blankEnd: boolean
}

export interface ItemChoice {
  readonly tokens: number
  /** Number of tokens in a gap mark and the line number after it. */
  readonly gapTokens: number
  readonly numberTokens: number
  /** Smallest share of the tokens for each part, by its index. */
  readonly shares: readonly number[]
  /** Tokens of each item if it is shown, and of its name if it is hidden. */
  readonly shown: Float64Array
  readonly hidden: Float64Array
}

/** Largest number of blank lines between items that is not a gap. */
const BLANK_LINES = 3
/** Lowest and highest price of a token in the search. Each round halves the interval, on a logarithmic scale. */
const LEAST_PRICE = 1e-4
const MOST_PRICE = 1e4
const ROUNDS = 14
/** Value of items that are already chosen, so that they are never left out. */
const KEPT = 1e9
/** Items whose rate is below this share of the highest rate do not use the share of their part. */
const LEAST_RATE = 0.01

/** Whether at most a few blank lines precede an item, or the end of the text if `index` is after the last item. */
export function follows({ items, from, lines, blankEnd }: ItemRow, index: number): boolean {
  const item = items[index]
  const previous = items[index - 1]?.end ?? from - 1
  if (item === undefined) return lines - previous <= (blankEnd ? 1 : 0)
  const between = item.start - previous - 1
  return between === 0 || (between === item.blanks && between <= BLANK_LINES)
}

/**
 * Chooses the most valuable items for a number of tokens. Runs of items are preferred, because gaps cost tokens, too.
 * The parents of a chosen item are chosen, too.
 *
 * For a given price of a token, one pass finds the best choice. The price is raised until the choice fits. Returns 1
 * for each item to show.
 */
export function chooseItems(row: ItemRow, choice: ItemChoice): Uint8Array {
  const { choose, keep, keptCost } = market(row, choice)
  const rates = row.items.map(({ value }, index) => value / Math.max(1, choice.shown[index]!))
  const least = LEAST_RATE * rates.reduce((most, rate) => Math.max(most, rate), 0)
  // The smallest shares are spent first, because they may not be enough for a gap.
  for (const [part, share] of [...choice.shares.entries()].toSorted(([, one], [, other]) => one - other)) {
    if (share === 1) continue
    const cost = keptCost()
    choose(Math.min(choice.tokens, cost + choice.tokens * share), least, part)
    if (keptCost() > cost) continue
    // The first item may exceed the share, so that a small budget shows the best item.
    const first = rates.reduce((best, rate, index) => {
      const counts = row.items[index]!.part === part && rate >= least
      return counts && rate > (rates[best] ?? 0) ? index : best
    }, -1)
    if (first >= 0) keep(first, choice.tokens)
  }
  return choose(choice.tokens, LEAST_PRICE)
}

function market(row: ItemRow, choice: ItemChoice) {
  const { shown, hidden, gapTokens, numberTokens } = choice
  const count = row.items.length
  const joined = new Uint8Array(count + 1).map((_, index) => (follows(row, index) ? 1 : 0))
  /** Tokens of the gap mark before each item. Consecutive separate items share one mark. */
  const leaving = new Float64Array(count + 1).fill(gapTokens)
  for (let index = 0; index < count; index++) if (row.items[index]!.lone) leaving[index + 1] = 0
  /** For each item, the index of the last consecutive item that depends on it. */
  const ends = endsOf(row)
  /** Running totals of the tokens of hidden items' names. */
  const hiddenBefore = new Float64Array(count + 1)
  for (let index = 0; index < count; index++) hiddenBefore[index + 1] = hiddenBefore[index]! + hidden[index]!
  const kept = new Uint8Array(count)
  /** Values of the items for the current choice. */
  const worth = new Float64Array(count)
  const afterShown = new Float64Array(count + 1)
  const afterHidden = new Float64Array(count + 1)
  const isShownNext = new Uint8Array(2 * count)

  function choose(tokens: number, leastPrice: number, part?: number): Uint8Array {
    for (let index = 0; index < count; index++) {
      const item = row.items[index]!
      const counts = part === undefined || item.part === part
      worth[index] = kept[index] === 1 ? KEPT : counts ? item.value : 0
    }
    let low = Math.max(LEAST_PRICE, leastPrice)
    let larger = chosenAt(part === undefined ? 0 : low)
    let best: Uint8Array | undefined = costOf(larger) <= tokens ? larger : undefined
    let high = MOST_PRICE
    for (let round = 0; round < ROUNDS && best !== larger; round++) {
      const price = Math.sqrt(low * high)
      const chosen = chosenAt(price)
      if (costOf(chosen) > tokens) {
        low = price
        larger = chosen
      } else {
        high = price
        best = chosen
      }
    }
    const chosen = best ?? kept.slice()
    if (chosen !== larger) fill(chosen, larger, tokens - costOf(chosen))
    kept.set(chosen)
    return chosen
  }

  /** Chooses the item if it fits. */
  function keep(index: number, tokens: number): void {
    const chosen = kept.slice()
    chosen[index] = 1
    addParents(chosen)
    if (costOf(chosen) <= tokens) kept.set(chosen)
  }

  /** Compute the best choice from the last item to the first, for both cases: the previous item is shown or hidden. */
  function chosenAt(price: number): Uint8Array {
    afterShown[count] = joined[count] === 1 ? 0 : -price * leaving[count]!
    for (let index = count - 1; index >= 0; index--) {
      const show = worth[index]! - price * shown[index]! + afterShown[index + 1]!
      // Dependent items are hidden with their parent.
      const next = ends[index]! + 1
      const hide = afterHidden[next]! - price * (hiddenBefore[next]! - hiddenBefore[index]!)
      const leave = price * leaving[index]!
      const enter = price * numberTokens
      const stay = show - (joined[index] === 1 ? 0 : leave + enter)
      isShownNext[2 * index] = stay >= hide - leave ? 1 : 0
      isShownNext[2 * index + 1] = show - enter > hide ? 1 : 0
      afterShown[index] = Math.max(stay, hide - leave)
      afterHidden[index] = Math.max(show - enter, hide)
    }
    const chosen = new Uint8Array(count)
    for (let index = 0, isShown = true; index < count;) {
      isShown = isShownNext[2 * index + (isShown ? 0 : 1)] === 1
      if (isShown) chosen[index] = 1
      index = isShown ? index + 1 : ends[index]! + 1
    }
    addParents(chosen)
    return chosen
  }

  function addParents(chosen: Uint8Array): void {
    for (let index = count - 1; index >= 0; index--) {
      if (chosen[index] === 0) continue
      for (let at = row.parents[index]!; at >= 0 && chosen[at] === 0; at = row.parents[at]!) chosen[at] = 1
    }
  }

  function costOf(chosen: Uint8Array): number {
    let cost = 0
    for (let index = 0; index < count; index++) {
      const wasShown = index === 0 || chosen[index - 1] === 1
      if (chosen[index] === 0) cost += hidden[index]! + (wasShown ? leaving[index]! : 0)
      else {
        const joins = wasShown && joined[index] === 1
        cost += shown[index]! + (joins ? 0 : numberTokens + (wasShown ? leaving[index]! : 0))
      }
    }
    const isOpen = chosen[count - 1] === 1 && joined[count] === 0
    return cost + (isOpen ? leaving[count]! : 0)
  }

  /** Add items of a larger choice in order, while they fit. */
  function fill(chosen: Uint8Array, larger: Uint8Array, room: number): void {
    const { items, parents } = row
    let left = room
    for (let index = 0; index < count; index++) {
      if (chosen[index] === 1 || larger[index] === 0) continue
      if (parents[index]! >= 0 && chosen[parents[index]!] === 0) continue
      const starts = (index > 0 && chosen[index - 1] === 0) || joined[index] === 0
      const joins = joined[index + 1] === 1 && (index + 1 === count || chosen[index + 1] === 1)
      const gap = items[index]!.lone ? 0 : gapTokens
      const cost = shown[index]! - hidden[index]! + (starts ? gap + numberTokens : 0) - (joins ? gap : 0)
      if (cost > left) continue
      chosen[index] = 1
      left -= cost
    }
  }

  return { choose, keep, keptCost: () => costOf(kept) }
}

function endsOf({ parents }: ItemRow): Int32Array {
  const ends = parents.map((_, index) => index)
  for (let index = 0; index < ends.length; index++)
    for (let at = parents[index]!; at >= 0 && ends[at] === index - 1; at = parents[at]!) ends[at] = index
  return ends
}
