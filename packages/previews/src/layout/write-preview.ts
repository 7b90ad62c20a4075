import type { HiddenName, Item, PreviewModel } from './preview-model.ts'
import { estimateTokens } from '@spillway/text/internal'
import { fitBudget, type Draft } from './fit-budget.ts'
import { GapMarks } from './gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { bestItems } from './best-items.ts'
import { chooseItems, follows, type ItemRow } from './choose-items.ts'
import { ItemsText } from './items-text.ts'
import { showItem } from './show-item.ts'

/** Tokens of the line number after a gap, about. */
const NUMBER_TOKENS = 3
/** A text of no more items shows all of them, cut as needed. */
const FEW_ITEMS = 4
/** Below so many tokens beside the head, no item is worth a try. */
const LEAST_ROOM = 8
/** The least of a line that is shown, in UTF-16 units. */
const LEAST_CAP = 48
/** Units of a text that tell how many go into a token. */
const SAMPLE_UNITS = 8_192
/** Items that are chosen from, in any case. */
const LEAST_ITEMS = 600

/** Write the preview of items: those worth most for their tokens, in order, each gap with what it hides. */
export function writePreview(preview: PreviewModel, options: PreviewOptions): string {
  if (!(options.budgetTokens > 0) || (preview.items.length === 0 && preview.head === undefined)) return ''
  // An item with the end of its line has two tokens at least: more of them cannot be shown.
  const items = bestItems(preview.items, LEAST_ITEMS + options.budgetTokens * 0.6)
  const layout = new PreviewDrafts({ ...preview, items }, options)
  return fitBudget((aim) => layout.write(aim), options)
}

/** Writes drafts of one preview. */
export class PreviewDrafts {
  readonly #preview: PreviewModel
  readonly #options: PreviewOptions
  readonly #row: ItemRow
  readonly #gapTokens: number
  /** Tokens of the header and of the call that the first gap shows. */
  readonly #fixedTokens: number
  readonly #lineCap: number
  #cap = 0
  #shown: (string | undefined)[] = []
  #costs: (number | undefined)[] = []

  constructor(preview: PreviewModel, options: PreviewOptions) {
    const { items, lines, from = 1, head = [] } = preview
    this.#preview = preview
    this.#options = options
    this.#row = {
      items,
      from,
      lines,
      blankEnd: preview.counted === undefined,
      indices: new Map(items.map((item, index) => [item, index])),
    }
    this.#gapTokens = estimateTokens(`\n${new GapMarks({}).write(101, 223)}\n`) + 3
    this.#fixedTokens =
      estimateTokens([`[${preview.header}]`, ...head].join('\n')) +
      estimateTokens(options.showLines?.(1_000, 1_999) ?? '')
    const unitsPerToken = measureUnits(items)
    this.#lineCap = Math.max(LEAST_CAP, Math.ceil(options.budgetTokens * preview.lineShare * unitsPerToken))
  }

  /** Write a preview of about `aim` tokens. */
  write(aim: number): Draft {
    const { header, head = [], items } = this.#preview
    if (head.length > 0 && aim - this.#fixedTokens < LEAST_ROOM)
      return { text: startOf(header, head, aim), complete: false }
    this.#setCap(items.length <= FEW_ITEMS ? LEAST_CAP : this.#lineCap)
    if (this.#allCost(aim) <= aim) return this.#writeAll(aim)
    const room = aim - this.#fixedTokens
    const names = this.#preview.names?.choose(room) ?? []
    const nameTokens = new Map(names.map(({ line, tokens }) => [line, tokens]))
    const hidden = Float64Array.from(items, ({ start }) => nameTokens.get(start) ?? 0)
    const named = names.reduce((sum, { tokens }) => sum + tokens, 0)
    const chosen = chooseItems(this.#row, {
      // Names of lines that are no items stand there in any case.
      tokens: room - named + hidden.reduce((sum, tokens) => sum + tokens, 0),
      gapTokens: this.#gapTokens,
      numberTokens: NUMBER_TOKENS,
      shares: this.#preview.shares,
      shown: Float64Array.from(items, (_, index) => this.#cost(index)),
      hidden,
    })
    return { text: this.#assemble(chosen, false, names), complete: false }
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
    return { text: this.#assemble(new Uint8Array(items.length).fill(1), complete, []), complete }
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

  #assemble(chosen: Uint8Array, isComplete: boolean, names: readonly HiddenName[]): string {
    const { items, header, head = [], alwaysHeader = false } = this.#preview
    const isBare = isComplete && !alwaysHeader && items.every(({ start, end }) => start === end)
    const shown: number[] = []
    for (let index = 0; index < items.length; index++) if (chosen[index] === 1) shown.push(index)
    const text = new ItemsText(this.#preview, this.#row, this.#options, isBare, names)
    for (let at = 0; at < shown.length;) {
      const listed = text.listed(shown, at)
      if (listed > 1) text.list(shown.slice(at, at + listed), shown[at + listed], (index) => this.#show(index))
      else text.write(shown[at]!, this.#show(shown[at]!))
      at += Math.max(1, listed)
    }
    text.end()
    return [...(text.isWhole && isBare ? [] : [`[${header}]`]), ...head, ...text.parts].join('\n')
  }
}

/** The header with as much of the head as fits. */
function startOf(header: string, head: readonly string[], aim: number): string {
  let left = aim - estimateTokens(`[${header}]`)
  const lines = head.flatMap((text) => text.split('\n'))
  const end = lines.findIndex((line) => (left -= estimateTokens(line) + 1) < 0)
  return [`[${header}]`, ...(end < 0 ? lines : lines.slice(0, end))].join('\n')
}

/** UTF-16 units of the items that go into a token, about. */
function measureUnits(items: readonly Item[]): number {
  const step = Math.max(1, Math.floor(items.length / 64))
  let sample = ''
  for (let index = 0; index < items.length && sample.length < SAMPLE_UNITS; index += step)
    sample += `${items[index]!.text.slice(0, 256)}\n`
  return Math.max(0.5, sample.length / Math.max(1, estimateTokens(sample)))
}
