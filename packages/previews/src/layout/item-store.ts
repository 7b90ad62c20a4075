import { detach } from '@spillway/text/internal'
import type { Item } from './preview-model.ts'

/** Units and items that are kept at least, of as many again: about what a preview of 100,000 tokens can show. */
const KEPT_UNITS = 600_000
const KEPT_ITEMS = 8_000
/** Only a text that is longer than a few halvings is worth being let go of: what stays has copies of its own then. */
const LOOSE_HALVINGS = 3
/** The last items, which are kept whatever they are worth. */
const LAST_ITEMS = 32

/**
 * Keeps the items of a text in order: all of them up to a size, beyond it those worth most and the last ones.
 *
 * What an item is worth when it is added decides; of those worth the least that is kept, the first stay.
 */
export class ItemStore {
  #items: Item[] = []
  #units = 0
  /** So many items, from the first, have texts of their own. */
  #own = 0
  #floor = -Infinity
  #halvings = 0
  /** The last items, in a ring, and how many there have been. */
  readonly #last: Item[] = []
  #added = 0

  /** Whether an item of this value would be kept for it. */
  takes(value: number): boolean {
    return value > this.#floor
  }

  /** Add the next item. */
  add(item: Item): void {
    this.#last[this.#added++ % LAST_ITEMS] = item
    if (item.value <= this.#floor) return
    this.#items.push(item)
    this.#units += item.text.length + item.tail.length
    while (this.#units > 2 * KEPT_UNITS || this.#items.length > 2 * KEPT_ITEMS) this.#halve()
  }

  /** The items that are kept, in order, with those that they make no sense without. */
  finish(): Item[] {
    // Nothing has gone.
    if (this.#floor === -Infinity) return this.#items
    const next = this.#added % LAST_ITEMS
    const last = [...this.#last.slice(next), ...this.#last.slice(0, next)]
    const first = last[0]?.start ?? Infinity
    const items = this.#items.filter(({ start }) => start < first)
    items.push(...last)
    return withParents(items)
  }

  /** Keep about half of the items: those worth most, and of those worth the least of these the first. */
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
    // Where the sample told too little, the last ones go.
    if (kept.length === this.#items.length)
      for (const item of kept.splice(target)) units -= item.text.length + item.tail.length
    this.#items = kept
    if (owns) this.#own = kept.length
    this.#units = units
  }
}

/** Values looked at to tell how many items are worth more than one. */
const SAMPLE = 1_024

/**
 * Return about `count` items that are worth most, at least, with those that they make no sense without, in order; all
 * items where there are not many more.
 *
 * Values are not sorted: a part of them, evenly spread, tells which value about so many items reach.
 */
export function bestItems(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count * 1.5) return items
  const least = valueReachedBy(items, count * 1.2)
  const best: Item[] = []
  for (const item of items) if (item.value >= least && (item.value > 0 || least > 0)) best.push(item)
  return withParents(best)
}

/** Add the items that others make no sense without, where they are missing; items are and stay in order. */
export function withParents(items: Item[]): Item[] {
  const missing = new Set<Item>()
  let known: Item | undefined
  for (const item of items) {
    if (item.parent === known) continue
    known = item.parent
    // One that is there comes with its own.
    for (let parent = known; parent !== undefined && !missing.has(parent); { parent } = parent) {
      if (isAmong(items, parent)) break
      missing.add(parent)
    }
  }
  return missing.size === 0 ? items : [...items, ...missing].toSorted((one, other) => one.start - other.start)
}

function isAmong(items: readonly Item[], item: Item): boolean {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (items[middle]!.start < item.start) low = middle + 1
    else high = middle
  }
  return items[low] === item
}

/** The value that about `count` of the items reach, told from some of them that are evenly spread. */
function valueReachedBy(items: readonly Item[], count: number): number {
  const step = Math.max(1, Math.floor(items.length / SAMPLE))
  const sample = new Float64Array(Math.ceil(items.length / step))
  for (let index = 0; index < sample.length; index++) sample[index] = items[index * step]!.value
  sample.sort()
  return sample[Math.max(0, Math.floor(sample.length * (1 - count / items.length)))]!
}
