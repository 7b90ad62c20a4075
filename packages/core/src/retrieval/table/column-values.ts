import { detach, formatCount } from '@spillway/text/internal'
import { quote } from '../show-hits.ts'
import { isNull, numberOf, timeOf } from './cell-value.ts'

/** Values that are told apart, at most. */
const MOST_VALUES = 1_000
const SHOWN_VALUES = 10
/** UTF-16 units of a value by which it is told from others, and of one that is shown. */
const LONGEST_VALUE = 200
const SHOWN_UNITS = 40

/** Sums up the values of a column, to say which there are where none was found. */
export class ColumnValues {
  readonly #counts = new Map<string, number>()
  #isFull = false
  #rows = 0
  #empty = 0
  #numbers = 0
  #times = 0
  #first: { readonly text: string; readonly order: number } | undefined
  #last: { readonly text: string; readonly order: number } | undefined

  add(cell: string | undefined): void {
    this.#rows++
    if (isNull(cell)) {
      this.#empty++
      return
    }
    const text = cell!.slice(0, LONGEST_VALUE).trim()
    const count = this.#counts.get(text)
    if (count !== undefined) {
      this.#counts.set(text, count + 1)
      if (!this.#isFull) return
    } else if (this.#counts.size < MOST_VALUES) this.#counts.set(detach(text), 1)
    else this.#isFull = true
    this.#range(text)
  }

  /** Say which values there are in one sentence, those that are like `wanted` first. */
  describe(name: string, wanted: readonly string[]): string {
    const column = quote(name)
    const empty = this.#empty === 0 ? '' : ` ${formatCount(this.#empty)} of its cells are empty.`
    if (this.#rows === this.#empty) return `${column} has no values: all cells are empty.`
    const range = this.#writeRange()
    const size = this.#counts.size
    const likes = wanted.map((text) => text.toLowerCase())
    const isLike = ([value]: readonly [string, number]): boolean =>
      likes.some((like) => value.toLowerCase() === like || (like.length > 2 && value.toLowerCase().includes(like)))
    const entries = [...this.#counts].toSorted((one, two) => two[1] - one[1])
    const alike = entries.filter(isLike)
    const ordered = [...alike, ...entries.filter((entry) => !alike.includes(entry))].slice(0, SHOWN_VALUES)
    const list = ordered
      .map(([value, count]) => `${quote(value, SHOWN_UNITS)}${this.#isFull ? '' : ` (${formatCount(count)})`}`)
      .join(', ')
    if (this.#isFull) {
      const values = `more than ${formatCount(MOST_VALUES)} values`
      return range === undefined
        ? `${column} has ${values}, such as ${list}.${empty}`
        : `${column} has ${values}, ${range}.${empty}`
    }
    if (size <= SHOWN_VALUES) return `${column} has ${size === 1 ? 'one value' : `these values`}: ${list}.${empty}`
    const which = `${formatCount(size)} values${range === undefined ? '' : `, ${range}`}`
    return `${column} has ${which}, ${alike.length > 0 ? 'such as' : 'most often'} ${list}.${empty}`
  }

  #range(text: string): void {
    const number = numberOf(text)
    const order = number ?? timeOf(text)
    if (order === undefined) return
    if (number === undefined) this.#times++
    else this.#numbers++
    if (this.#first === undefined || order < this.#first.order) this.#first = { text: detach(text), order }
    if (this.#last === undefined || order > this.#last.order) this.#last = { text: detach(text), order }
  }

  /** The least and the greatest value, where all of them are numbers, or all dates. */
  #writeRange(): string | undefined {
    if (this.#first === undefined || this.#last === undefined) return undefined
    const kind = this.#times === 0 ? 'numbers' : this.#numbers === 0 ? 'dates' : undefined
    if (kind === undefined) return undefined
    const others = [...this.#counts.keys()].some((value) => (numberOf(value) ?? timeOf(value)) === undefined)
    return others ? undefined : `from ${quote(this.#first.text, SHOWN_UNITS)} to ${quote(this.#last.text, SHOWN_UNITS)}`
  }
}
