import { detach } from '@spillway/text/internal'
import { firstAtLeast } from './gap-marks.ts'
import type { Item } from './preview-model.ts'

/** Smallest number of UTF-16 units and items to keep, about the size of a preview of 100,000 tokens. */
const KEPT_UNITS = 600_000
const KEPT_ITEMS = 8_000
/** Number of halvings after which items copy their texts, so that the whole text can be freed. */
const LOOSE_HALVINGS = 3
/** Number of last items that are always kept. */
const LAST_ITEMS = 32

/**
 * Keeps items in order: all items up to a limit, and above it the most valuable items and the last items.
 *
 * The value at the time of adding is used. If items have equal value, the first ones are kept.
 */
export class ItemStore {
  #items: Item[] = []
  #units = 0
  /** Number of items from the start that have a copy of their text. */
  #own = 0
  #floor = -Infinity
  #halvings = 0
  /** Ring buffer of the last items, and number of all added items. */
  readonly #last: Item[] = []
  #added = 0

  takes(value: number): boolean {
    return value > this.#floor
  }

  add(item: Item): void {
    this.#last[this.#added++ % LAST_ITEMS] = item
    if (item.value <= this.#floor) return
    this.#items.push(item)
    this.#units += item.text.length + item.tail.length
    while (this.#units > 2 * KEPT_UNITS || this.#items.length > 2 * KEPT_ITEMS) this.#halve()
  }

  finish(): Item[] {
    // Nothing was dropped.
    if (this.#floor === -Infinity) return this.#items
    const next = this.#added % LAST_ITEMS
    const last = [...this.#last.slice(next), ...this.#last.slice(0, next)]
    const first = last[0]?.start ?? Infinity
    const items = this.#items.filter(({ start }) => start < first)
    items.push(...last)
    return withParents(items)
  }

  #halve(): void {
    const target = this.#items.length >> 1
    this.#floor = Math.max(this.#floor, valueReachedBy(this.#items, target))
    const kept: Item[] = []
    let units = 0
    const owns = ++this.#halvings > LOOSE_HALVINGS
    for (let index = 0; index < this.#items.length; index++) {
      const item = this.#items[index]!
      if (item.value < this.#floor || (item.value === this.#floor && kept.length >= target)) continue
      if (owns && index >= this.#own) {
        item.text = detach(item.text)
        item.tail = detach(item.tail)
      }
      units += item.text.length + item.tail.length
      kept.push(item)
    }
    // If the sample was too coarse, the last items are dropped.
    if (kept.length === this.#items.length)
      for (const item of kept.splice(target)) units -= item.text.length + item.tail.length
    this.#items = kept
    if (owns) this.#own = kept.length
    this.#units = units
  }
}

const SAMPLE = 1_024

/**
 * Returns at least `count` of the most valuable items, with their parents, in order.
 *
 * The threshold is estimated from an even sample, without sorting.
 */
export function bestItems(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count * 1.5) return items
  const least = valueReachedBy(items, count * 1.2)
  const best: Item[] = []
  for (const item of items) if (item.value >= least && (item.value > 0 || least > 0)) best.push(item)
  return withParents(best)
}

/** The items must be sorted, and the result is sorted too. */
export function withParents(items: Item[]): Item[] {
  const missing = new Set<Item>()
  let known: Item | undefined
  for (const item of items) {
    if (item.parent === known) continue
    known = item.parent
    // The parents of a known parent are also known.
    for (let parent = known; parent !== undefined && !missing.has(parent); { parent } = parent) {
      if (items[firstAtLeast(items, parent.start, ({ start }) => start)] === parent) break
      missing.add(parent)
    }
  }
  return missing.size === 0 ? items : [...items, ...missing].toSorted((one, other) => one.start - other.start)
}

/** Estimate the value that `count` items reach, from an even sample. */
function valueReachedBy(items: readonly Item[], count: number): number {
  const step = Math.max(1, Math.floor(items.length / SAMPLE))
  const sample = new Float64Array(Math.ceil(items.length / step))
  for (let index = 0; index < sample.length; index++) sample[index] = items[index * step]!.value
  sample.sort()
  return sample[Math.max(0, Math.floor(sample.length * (1 - count / items.length)))]!
}
