import type { LineItem } from './line-item.ts'
import { RateHeap } from './rate-heap.ts'

/** The items of one text in order, and which of them follow the one before without a gap. */
export interface ItemRow {
  readonly items: readonly LineItem[]
  readonly indices: ReadonlyMap<LineItem, number>
  /** Lines of the text. */
  readonly lines: number
}

/** What the items that are shown are chosen by. */
export interface ItemChoice {
  readonly tokens: number
  /** Tokens of a gap, with the line number after it. */
  readonly gapTokens: number
  /** Tokens of a line number. */
  readonly numberTokens: number
  /** How much of the tokens each part has at least, by its index. */
  readonly shares: readonly number[]
  /** Indices of the items of each part, those worth most for their tokens first. */
  readonly orders: readonly (readonly number[])[]
  /** Indices of all items in that order. */
  readonly order: readonly number[]
  readonly cost: (index: number) => number
}

/** Most blank lines that are shown as they are; more of them are a gap. */
const BLANK_LINES = 3
/** The least that is shown for its share, of the highest rate. */
const LEAST_RATE = 0.01
/** What is left is not worth looking for an item that fits. */
const LEAST_TOKENS = 6

/** Whether nothing but a few blank lines stands between an item and the one before it; `undefined` is the end of the text. */
export function follows({ items, lines }: ItemRow, index: number): boolean {
  const item = items[index]
  const previous = items[index - 1]?.end ?? 0
  if (item === undefined) return lines - previous <= 1
  const between = item.start - previous - 1
  return between === 0 || (between === item.blanks && between <= BLANK_LINES)
}

/**
 * Choose items: first those worth most of each part up to its share, then those worth most of what is left, then what
 * costs no more to show than to say that it is hidden. An item comes with those that it makes no sense without.
 */
export function chooseItems(row: ItemRow, choice: ItemChoice): Uint8Array {
  const { items } = row
  const chosen = new Uint8Array(items.length + 1)
  const joined = new Uint8Array(items.length + 1)
  for (let index = 0; index <= items.length; index++) joined[index] = follows(row, index) ? 1 : 0
  const isShown = (index: number): boolean => index < 0 || index >= items.length || chosen[index] === 1
  const own = (index: number): number => {
    const before = joined[index] === 1 && isShown(index - 1)
    const after = joined[index + 1] === 1 && isShown(index + 1)
    let gaps = (before ? 0 : 1) + (after ? 0 : 1) - 1
    // Lone items share one mark for the gaps between them; the first line below one that is not ends that.
    if (items[index]!.lone && !(after && items[index + 1]?.lone === false)) gaps = 0
    else if (before && items[index - 1]?.lone === true) gaps++
    const number = before || gaps !== 0 || items[index]!.numbered ? 0 : choice.numberTokens
    return choice.cost(index) + gaps * choice.gapTokens + number
  }
  const wantedWith = (index: number): number[] => {
    const wanted = [index]
    for (let parent = items[index]!.parent; parent !== undefined; parent = parent.parent) {
      const at = row.indices.get(parent)
      if (at === undefined || chosen[at] === 1) break
      wanted.push(at)
    }
    return wanted
  }
  /** Choose items and return what they cost together. */
  const choose = (wanted: readonly number[]): number => {
    let cost = 0
    for (const at of wanted) {
      cost += own(at)
      chosen[at] = 1
    }
    return cost
  }
  const take = (order: readonly number[], tokens: number, most: number, least = 0, part?: number): number => {
    const queue = new RateHeap()
    for (const index of order) if (chosen[index] === 0) queue.push(index, items[index]!.value / Math.max(1, own(index)))
    const grow = (index: number): void => {
      const item = items[index]
      if (item === undefined || chosen[index] === 1 || (part !== undefined && item.part !== part)) return
      queue.push(index, item.value / Math.max(1, own(index)))
    }
    let left = tokens
    let isFirst = true
    while (left >= LEAST_TOKENS) {
      const bound = queue.rate
      if (bound < least) break
      const index = queue.pop()
      if (index === undefined) break
      if (chosen[index] === 1) continue
      const wanted = wantedWith(index)
      const cost = choose(wanted)
      const rate = items[index]!.value / Math.max(1, cost)
      // Its place in the queue was that of other surroundings: it waits for its turn.
      const waits = rate < bound && rate < queue.rate
      // The first may take more than the share, so that a small budget shows what is worth most.
      if (waits || cost > (isFirst ? most : left)) {
        for (const at of wanted) chosen[at] = 0
        if (waits) queue.push(index, rate)
        continue
      }
      left -= cost
      isFirst = false
      for (const at of wanted) {
        if (joined[at] === 1) grow(at - 1)
        if (joined[at + 1] === 1) grow(at + 1)
      }
    }
    return left
  }
  // A share is no reason to show what is worth next to nothing.
  const best = choice.order[0] ?? -1
  const least = best < 0 ? 0 : (items[best]!.value / Math.max(1, choice.cost(best))) * LEAST_RATE
  let left = choice.tokens - choice.gapTokens
  const whole = left
  for (const [part, order] of choice.orders.entries()) {
    const share = Math.min(left, whole * (choice.shares[part] ?? 0))
    left += take(order, share, left, least, part) - share
  }
  for (let pass = 0; pass < 2; pass++) {
    left = take(choice.order, left, left)
    left += fillGaps(items, chosen, joined, choice)
  }
  return chosen.subarray(0, items.length)
}

/** Show what costs no more than to say that it is hidden. Returns the tokens saved. */
function fillGaps(
  items: readonly LineItem[],
  chosen: Uint8Array,
  joined: Uint8Array,
  { cost, gapTokens }: ItemChoice,
): number {
  const count = items.length
  let saved = 0
  let last = -1
  for (let index = 0; index <= count; index++) {
    if (index < count && chosen[index] === 0) continue
    let tokens = 0
    // A gap between lone items costs nothing: they share a mark.
    let near = index - last > 1 && !(items[last]?.lone === true && items[index]?.lone === true)
    for (let hidden = last + 1; near && hidden <= index; hidden++) {
      near = joined[hidden] === 1 && tokens <= gapTokens
      if (hidden < index) tokens += cost(hidden)
    }
    if (near && tokens <= gapTokens) {
      chosen.fill(1, last + 1, index)
      saved += gapTokens - tokens
    }
    last = index
  }
  return saved
}
