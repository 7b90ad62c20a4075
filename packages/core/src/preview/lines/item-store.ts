import { detach } from '../../content/detach.ts'
import { valueReachedBy, withParents } from './best-items.ts'
import type { LineItem } from './line-item.ts'

/** Units and items that are kept at least, of as many again: about what a preview of 100,000 tokens can show. */
const KEPT_UNITS = 600_000
const KEPT_ITEMS = 12_000
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
  /** So many items, from the first, have texts of their own. */
  #own = 0
  #floor = -Infinity
  #last: LineItem[] = []

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
    // Nothing has gone.
    if (this.#floor === -Infinity) return this.#items
    const first = this.#last.at(-LAST_ITEMS)?.start ?? Infinity
    const items = this.#items.filter(({ start }) => start < first)
    items.push(...this.#last.slice(-LAST_ITEMS))
    return withParents(items)
  }

  /** Keep about half of the items: those worth most, and of those worth the least of these the first. */
  #halve(): void {
    const target = this.#items.length >> 1
    this.#floor = Math.max(this.#floor, valueReachedBy(this.#items, target))
    const kept: LineItem[] = []
    let units = 0
    for (const [index, item] of this.#items.entries()) {
      if (item.value < this.#floor || (item.value === this.#floor && kept.length >= target)) continue
      // What stays must not keep the text alive that it was cut from.
      if (index >= this.#own) {
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
    this.#own = kept.length
    this.#units = units
  }
}
