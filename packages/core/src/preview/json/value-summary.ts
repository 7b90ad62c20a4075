import { detach } from '../../content/detach.ts'

/** Different values that are remembered of one key. */
export const MOST_VALUES = 8
/** The first times that a value comes are told from later ones. */
export const FIRST_TIMES = 3
/** The start of a value that is kept, in UTF-16 units. */
const KEPT_UNITS = 512

/** What is remembered of the numbers, strings, `true`, `false` and `null` that stand under one path. */
export class ValueSummary {
  strings = 0
  numbers = 0
  words = 0
  /** The first different values as they stand in the text, with how often each came. */
  readonly values: Map<string, number> = new Map()
  /** Whether there are more values than these: then the counts say nothing. */
  more = false
  least: number = Infinity
  leastText = ''
  most: number = -Infinity
  mostText = ''
  /** Length of the first value, in units of the text: it may be kept only in part. */
  firstLength = 0
  /** Length of the longest string. */
  longest = 0
  #last = ''

  /** Each of these returns whether the value is one of the first of its kind: see {@link FIRST_TIMES}. */
  addString(text: string, start: number, end: number, length: number = end - start): boolean {
    this.strings++
    if (length > this.longest) this.longest = length
    return !this.more && this.#add(`"${text.slice(start, Math.min(end, start + KEPT_UNITS))}"`, length + 2)
  }

  addWord(text: string, start: number, end: number): boolean {
    this.words++
    return this.#add(text.slice(start, end), end - start)
  }

  addNumber(text: string, start: number, end: number): boolean {
    this.numbers++
    const value = readNumber(text, start, end)
    if (value < this.least) {
      this.least = value
      this.leastText = detach(text.slice(start, end))
    }
    if (value > this.most) {
      this.most = value
      this.mostText = detach(text.slice(start, end))
    }
    return !this.more && this.#add(text.slice(start, end), end - start)
  }

  /** The value that was added last. */
  get last(): string {
    return this.#last
  }

  #add(value: string, length: number): boolean {
    const last = this.#last
    if (value === last && length <= KEPT_UNITS) {
      const times = this.values.get(last)! + 1
      this.values.set(last, times)
      return times <= FIRST_TIMES
    }
    const known = this.values.get(value)
    if (this.values.size === 0) this.firstLength = length
    // Of long values only the start is kept, so that they cannot be told from one another.
    if (known !== undefined && length > KEPT_UNITS) this.more = true
    else if (known !== undefined) {
      this.values.set(value, known + 1)
      this.#last = value
      return known < FIRST_TIMES
    } else if (this.values.size < MOST_VALUES) {
      const kept = detach(value)
      this.values.set(kept, 1)
      this.#last = kept
      return true
    } else this.more = true
    return false
  }

  merge(other: ValueSummary): void {
    if (this.values.size === 0) this.firstLength = other.firstLength
    this.strings += other.strings
    this.numbers += other.numbers
    this.words += other.words
    this.longest = Math.max(this.longest, other.longest)
    this.more ||= other.more
    if (other.least < this.least) {
      this.least = other.least
      this.leastText = other.leastText
    }
    if (other.most > this.most) {
      this.most = other.most
      this.mostText = other.mostText
    }
    for (const [value, count] of other.values) {
      const known = this.values.get(value)
      if (known !== undefined && value.length > KEPT_UNITS) this.more = true
      if (known !== undefined) this.values.set(value, known + count)
      else if (this.values.size < MOST_VALUES) this.values.set(value, count)
      else this.more = true
    }
  }
}

const POWERS: readonly number[] = Array.from({ length: 16 }, (_, power) => 10 ** power)

/** The number that a text says, `NaN` where it says none. Up to 15 digits are read in place. */
function readNumber(text: string, start: number, end: number): number {
  if (end - start > 16) return Number(text.slice(start, end))
  let value = 0
  let decimals = -1
  let index = start
  const negative = text.charCodeAt(start) === 45
  if (negative) index++
  for (; index < end; index++) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) {
      value = value * 10 + code - 48
      if (decimals >= 0) decimals++
    } else if (code === 46 && decimals < 0) decimals = 0
    else return Number(text.slice(start, end))
  }
  // Exact: both fit into the 53 bits of a number, and a division rounds once.
  if (value > 2 ** 53) return Number(text.slice(start, end))
  if (decimals > 0) value /= POWERS[decimals]!
  return negative ? -value : value
}
