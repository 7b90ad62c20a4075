import { detach } from '@spillway/text/internal'

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
  /** The first different values as they stand in the text, strings with their quotes. */
  readonly values: string[] = []
  /** How often each of them came. */
  readonly times: number[] = []
  /** Whether there are more values than these: then the counts say nothing. */
  more = false
  least: number = Infinity
  leastText = ''
  most: number = -Infinity
  mostText = ''
  /** Length of the first value, in units of the text: it may be kept only in part. */
  firstLength = 0
  /** The place of the value that was added last. */
  #last = 0

  /**
   * Add the string from `start` to `end`, with its quotes. Each of these returns whether the value is one of the first of
   * its kind: see {@link FIRST_TIMES}.
   *
   * @param length - Its length, where only its start is given.
   */
  addString(text: string, start: number, end: number, length: number = end - start): boolean {
    this.strings++
    return !this.more && this.#add(text, start, end, length)
  }

  addWord(text: string, start: number, end: number): boolean {
    this.words++
    return this.#add(text, start, end, end - start)
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
    return !this.more && this.#add(text, start, end, end - start)
  }

  /** The value that was added last, and how often it came up to now. */
  get last(): string {
    return this.values[this.#last] ?? ''
  }

  /** How often a value came; `Infinity` where there are too many to tell. */
  timesOf(value: string): number {
    return this.more ? Infinity : (this.times[this.values.indexOf(value)] ?? 0)
  }

  #add(text: string, start: number, end: number, length: number): boolean {
    const { values, times } = this
    if (values.length === 0) this.firstLength = length
    const keptEnd = length > KEPT_UNITS ? Math.min(end, start + KEPT_UNITS) : end
    let index = this.#last
    if (values.length === 0 || !isSame(values[index]!, text, start, keptEnd)) {
      index = 0
      while (index < values.length && !isSame(values[index]!, text, start, keptEnd)) index++
      if (index === MOST_VALUES) {
        this.more = true
        return false
      }
      if (index === values.length) {
        values.push(detach(text.slice(start, keptEnd)))
        times.push(0)
      }
    }
    // Of long values only the start is kept, so that they cannot be told from one another.
    if (length > KEPT_UNITS && times[index]! > 0) this.more = true
    this.#last = index
    return ++times[index]! <= FIRST_TIMES
  }

  merge(other: ValueSummary): void {
    if (this.values.length === 0) this.firstLength = other.firstLength
    this.strings += other.strings
    this.numbers += other.numbers
    this.words += other.words
    this.more ||= other.more
    if (other.least < this.least) {
      this.least = other.least
      this.leastText = other.leastText
    }
    if (other.most > this.most) {
      this.most = other.most
      this.mostText = other.mostText
    }
    for (const [index, value] of other.values.entries()) {
      const known = this.values.indexOf(value)
      const times = other.times[index]!
      if (known >= 0) {
        if (value.length >= KEPT_UNITS) this.more = true
        this.times[known]! += times
      } else if (this.values.length < MOST_VALUES) {
        this.values.push(value)
        this.times.push(times)
      } else this.more = true
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

/** Whether a string stands in a text from `start` to `end`. */
export function isSame(value: string, text: string, start: number, end: number): boolean {
  if (value.length !== end - start) return false
  // Strings that begin alike differ near their ends.
  for (let index = value.length - 1; index >= 0; index--) {
    if (value.charCodeAt(index) !== text.charCodeAt(start + index)) return false
  }
  return true
}
