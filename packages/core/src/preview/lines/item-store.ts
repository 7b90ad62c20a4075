import { detach } from '../../content/detach.ts'
import type { LineItem } from './line-item.ts'

/** Units and items that are kept at least: more than the largest budget can show. */
const KEPT_UNITS = 600_000
const KEPT_ITEMS = 50_000
/** The last items, kept whatever they are worth. */
const LAST_ITEMS = 32

/**
 * Keeps the items of a text in order: all of them up to a size, beyond it those worth most and the last ones.
 *
 * What an item is worth when it is added decides; of those worth the least that is kept, the first stay.
 */
export class ItemStore {
  #items: LineItem[] = []
  #units = 0
  #floor = -Infinity
  #last: LineItem[] = []

  /** Whether an item of this value would be kept for it. */
  takes(value: number): boolean {
    return value > this.#floor
  }

  /** Add the next item. */
  add(item: LineItem): void {
    this.#last.push(item)
    if (this.#last.length > 4 * LAST_ITEMS) this.#last = this.#last.slice(-LAST_ITEMS)
    if (item.value <= this.#floor) return
    this.#items.push(item)
    this.#units += item.text.length + item.tail.length
    while (this.#units > 2 * KEPT_UNITS || this.#items.length > 2 * KEPT_ITEMS) this.#halve()
  }

  /** The items that are kept, in order, with those that they make no sense without. */
  finish(): LineItem[] {
    const kept = new Set(this.#items)
    for (const item of this.#last.slice(-LAST_ITEMS)) kept.add(item)
    for (const item of kept) if (item.parent !== undefined) kept.add(item.parent)
    return [...kept].toSorted((one, other) => one.start - other.start)
  }

  #halve(): void {
    const values = Float64Array.from(this.#items, ({ value }) => value).toSorted()
    const target = this.#items.length >> 1
    this.#floor = values[target]!
    let spare = target - values.reduce((count, value) => count + (value > this.#floor ? 1 : 0), 0)
    this.#units = 0
    this.#items = this.#items.filter((item) => {
      if (item.value < this.#floor || (item.value === this.#floor && spare-- <= 0)) return false
      item.text = detach(item.text)
      item.tail = detach(item.tail)
      this.#units += item.text.length + item.tail.length
      return true
    })
  }
}
