import { type Item, itemOf } from './preview-model.ts'
import type { RawLine } from './raw-lines.ts'

/** How many are remembered: a power of two. */
const COUNT = 32

/** Remembers the last items of a text; of lines that are no items yet, what they are made of. */
export class LastItems {
  readonly #items: (Item | undefined)[] = []
  readonly #texts: string[] = []
  readonly #tails: string[] = []
  readonly #numbers = new Float64Array(COUNT)
  readonly #hidden = new Float64Array(COUNT)
  readonly #parents: (Item | undefined)[] = []
  readonly #values = new Float64Array(COUNT)
  readonly #blanks = new Float64Array(COUNT)
  readonly #parts = new Uint8Array(COUNT)
  #next = 0

  add(item: Item): void {
    this.#items[this.#next & (COUNT - 1)] = item
    this.#next++
  }

  pass(line: RawLine, blanks: number, value: number, part: number, parent: Item | undefined): void {
    const slot = this.#next++ & (COUNT - 1)
    this.#items[slot] = undefined
    this.#texts[slot] = line.text
    this.#tails[slot] = line.tail
    this.#numbers[slot] = line.number
    this.#hidden[slot] = line.hidden
    this.#parents[slot] = parent
    this.#values[slot] = value
    this.#blanks[slot] = blanks
    this.#parts[slot] = part
  }

  /** The last items in order. */
  finish(): Item[] {
    const items: Item[] = []
    for (let at = Math.max(0, this.#next - COUNT); at < this.#next; at++) {
      const slot = at & (COUNT - 1)
      const line = {
        number: this.#numbers[slot]!,
        text: this.#texts[slot] ?? '',
        tail: this.#tails[slot] ?? '',
        hidden: this.#hidden[slot]!,
      }
      items.push(
        this.#items[slot] ??
          itemOf(line, this.#blanks[slot]!, this.#values[slot]!, this.#parts[slot]!, this.#parents[slot]),
      )
    }
    return items
  }
}
