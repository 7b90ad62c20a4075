import { estimateTokens } from '@spillway/text/internal'
import { fitBudget, type Draft } from './fit-budget.ts'
import { GapMarks } from './gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { bestItems } from './best-items.ts'
import { chooseItems, follows, type ItemRow } from './choose-items.ts'
import type { LineItem } from './line-item.ts'
import { ItemsText } from './items-text.ts'
import { showItem } from './show-item.ts'

/** What a preview by items is made of. */
export interface ItemsPreview {
  /** In order. */
  readonly items: readonly LineItem[]
  /** Lines of the text. */
  readonly lines: number
  /** The first line of the preview, without its brackets. */
  readonly header: string
  /** Whether the header stands there also where everything is shown. */
  readonly alwaysHeader?: boolean
  /** Share of the budget that each part of the items has, by its index. */
  readonly shares: readonly number[]
  /** Share of the budget that one line has at most while others are hidden. */
  readonly lineShare: number
  /** Share of what is shown of a long line that is its end. */
  readonly endShare: number
  /** Say what is among the lines from `start` to `end`, which are hidden. */
  readonly hidden?: (start: number, end: number) => string
}

/** Tokens of the line number after a gap, about. */
const NUMBER_TOKENS = 3
/** A text of no more items shows all of them, cut as needed. */
const FEW_ITEMS = 4
/** The least of a line that is shown, in UTF-16 units. */
const LEAST_CAP = 48
/** Units of a text that tell how many go into a token. */
const SAMPLE_UNITS = 8_192
/** Items that are chosen from, in any case. */
const LEAST_ITEMS = 600
/** Items considered for each token of the budget, and in any case. */
const CONSIDERED_PER_TOKEN = 0.25
const CONSIDERED = 256

/** Write the preview of items: those worth most for their tokens, in order, each gap with what it hides. */
export function writeItems(preview: ItemsPreview, options: PreviewOptions): string {
  if (!(options.budgetTokens > 0) || preview.items.length === 0) return ''
  // An item with the end of its line has two tokens at least: more of them cannot be shown.
  const items = bestItems(preview.items, LEAST_ITEMS + options.budgetTokens * 0.6)
  const layout = new ItemsLayout({ ...preview, items }, options)
  return fitBudget((aim) => layout.write(aim), options)
}

class ItemsLayout {
  readonly #preview: ItemsPreview
  readonly #options: PreviewOptions
  readonly #row: ItemRow
  readonly #gapTokens: number
  /** Tokens of the header and of the call that the first gap shows. */
  readonly #fixedTokens: number
  readonly #lineCap: number
  readonly #order: readonly number[]
  readonly #orders: readonly (readonly number[])[]
  #cap = 0
  #shown: (string | undefined)[] = []
  #costs: (number | undefined)[] = []

  constructor(preview: ItemsPreview, options: PreviewOptions) {
    const { items, lines } = preview
    this.#preview = preview
    this.#options = options
    this.#row = { items, lines, indices: new Map(items.map((item, index) => [item, index])) }
    this.#gapTokens = estimateTokens(new GapMarks({}).write(101, 199)) + NUMBER_TOKENS
    this.#fixedTokens = estimateTokens(`[${preview.header}]`) + estimateTokens(options.showLines?.(1_000, 1_999) ?? '')
    const unitsPerToken = measureUnits(items)
    this.#lineCap = Math.max(LEAST_CAP, Math.ceil(options.budgetTokens * preview.lineShare * unitsPerToken))
    const most = CONSIDERED + Math.ceil(Math.min(items.length, options.budgetTokens * CONSIDERED_PER_TOKEN))
    const rates = Float64Array.from(
      items,
      ({ value, text }) => value / (Math.min(text.length, this.#lineCap) / unitsPerToken + NUMBER_TOKENS),
    )
    this.#orders = preview.shares.map((_, part) => bestOf(items, rates, most, part))
    this.#order = bestOf(items, rates, most)
  }

  /** Write a preview of about `aim` tokens. */
  write(aim: number): Draft {
    this.#setCap(this.#preview.items.length <= FEW_ITEMS ? LEAST_CAP : this.#lineCap)
    if (this.#preview.items.length <= FEW_ITEMS || this.#allCost(aim) <= aim) return this.#writeAll(aim)
    const chosen = chooseItems(this.#row, {
      tokens: aim - this.#fixedTokens,
      gapTokens: this.#gapTokens,
      numberTokens: NUMBER_TOKENS,
      shares: this.#preview.shares,
      order: this.#order,
      orders: this.#orders,
      cost: (index) => this.#cost(index),
    })
    return { text: this.#assemble(chosen, false), complete: false }
  }

  /** Show every item, the long ones as far as there is room. */
  #writeAll(aim: number): Draft {
    const { items } = this.#preview
    let low = this.#cap
    const longest = items.reduce((most, { text, tail }) => Math.max(most, text.length + tail.length), 0)
    let high = Math.max(low, Math.min(longest, aim * 8))
    this.#setCap(high)
    if (this.#allCost(aim) <= aim) low = high
    while (high - low > 8) {
      const middle = Math.floor((low + high) / 2)
      this.#setCap(middle)
      if (this.#allCost(aim) <= aim) low = middle
      else high = middle
    }
    this.#setCap(low)
    const complete = items.every(({ text, tail, hidden }) => hidden === 0 && tail === '' && text.length <= low)
    return { text: this.#assemble(new Uint8Array(items.length).fill(1), complete), complete }
  }

  #setCap(cap: number): void {
    if (cap === this.#cap) return
    this.#cap = cap
    this.#shown = []
    this.#costs = []
  }

  #show(index: number): string {
    return (this.#shown[index] ??= showItem(this.#preview.items[index]!, this.#cap, this.#preview.endShare))
  }

  #cost(index: number): number {
    return (this.#costs[index] ??=
      estimateTokens(this.#show(index)) + 1 + (this.#preview.items[index]!.numbered ? NUMBER_TOKENS : 0))
  }

  /** The tokens of all items, as far as they are no more than `limit`. */
  #allCost(limit: number): number {
    let cost = this.#fixedTokens
    for (let index = 0; index < this.#row.items.length && cost <= limit; index++) {
      cost += this.#cost(index) + (follows(this.#row, index) ? 0 : this.#gapTokens)
    }
    return cost
  }

  #assemble(chosen: Uint8Array, isComplete: boolean): string {
    const { items, header, alwaysHeader = false } = this.#preview
    const isBare = isComplete && !alwaysHeader && items.every(({ start, end }) => start === end)
    const shown: number[] = []
    for (let index = 0; index < items.length; index++) if (chosen[index] === 1) shown.push(index)
    const text = new ItemsText(this.#preview, this.#row, this.#options, isBare)
    for (let at = 0; at < shown.length;) {
      const listed = text.listed(shown, at)
      if (listed > 1) text.list(shown.slice(at, at + listed), shown[at + listed], (index) => this.#show(index))
      else text.write(shown[at]!, this.#show(shown[at]!))
      at += Math.max(1, listed)
    }
    text.end()
    return [...(text.isWhole && isBare ? [] : [`[${header}]`]), ...text.parts].join('\n')
  }
}

/** UTF-16 units of the items that go into a token, about. */
function measureUnits(items: readonly LineItem[]): number {
  const step = Math.max(1, Math.floor(items.length / 64))
  let sample = ''
  for (let index = 0; index < items.length && sample.length < SAMPLE_UNITS; index += step)
    sample += `${items[index]!.text.slice(0, 256)}\n`
  return Math.max(0.5, sample.length / Math.max(1, estimateTokens(sample)))
}

/** The indices of up to `most` items of a part with the highest rates, in their order; of equal rates, the first. */
function bestOf(items: readonly LineItem[], rates: Float64Array, most: number, part?: number): number[] {
  const indices: number[] = []
  for (let index = 0; index < items.length; index++)
    if ((part === undefined || items[index]!.part === part) && items[index]!.value > 0) indices.push(index)
  if (indices.length > most) {
    const sorted = Float64Array.from(indices, (index) => rates[index]!).toSorted()
    const least = sorted[sorted.length - most]!
    let spare = most
    const best = indices.filter((index) => rates[index]! > least || (rates[index] === least && spare-- > 0))
    return best.toSorted((one, other) => rates[other]! - rates[one]! || one - other).slice(0, most)
  }
  return indices.toSorted((one, other) => rates[other]! - rates[one]! || one - other)
}
