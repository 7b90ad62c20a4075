import { detach } from '@spillway/text/internal'
import type { BlockText } from '@spillway/text/internal/tables'

/** Largest number of counted values in a column. If there are more values, none are counted. */
const MOST_VALUES = 16
/** Longest counted value, in UTF-16 units. */
const LONGEST_VALUE = 64
const SLOTS = 64
const QUOTE = 34
/** Matches numbers with a comma for thousands, and with a decimal comma. */
const THOUSANDS = /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/
const DECIMAL_COMMA = /^[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, power) => 10 ** power)
/** Characters other than digits that occur in times: T, Z, U, C, space, period, comma, signs. */
const IN_TIMES: readonly number[] = [84, 90, 85, 67, 32, 46, 44, 43, 45]

export interface CountedValue {
  readonly text: string
  /** First row with the value, 0-based. */
  readonly row: number
  count: number
}

/** Least and greatest value, as written. */
export interface ValueRange {
  readonly type: 'number' | 'date'
  readonly least: string
  readonly greatest: string
}

/**
 * Summarizes the cells of a column: the number of empty cells, the range of numbers or ISO 8601 dates, and counts if
 * there are few values.
 */
export class ColumnSummary {
  filled = 0
  empty = 0
  #numeric = true
  #dated = true
  #least = Infinity
  #greatest = -Infinity
  #leastText = ''
  #greatestText = ''
  /** Distinct values in the order of their first row. Absent if there are many or long values. */
  values: CountedValue[] | undefined = []
  readonly #slots = new Uint8Array(SLOTS)

  /** Absent unless all cells with text are numbers, or dates in one form. */
  get range(): ValueRange | undefined {
    if (this.filled === 0 || !(this.#numeric || this.#dated)) return undefined
    return { type: this.#numeric ? 'number' : 'date', least: this.#leastText, greatest: this.#greatestText }
  }

  /** Adds an empty cell for a row that is too short. */
  addEmpty(): void {
    this.empty++
  }

  add({ text, codes }: BlockText, start: number, end: number): void {
    if (end <= start) {
      this.empty++
      return
    }
    this.filled++
    const quotes = codes[start] === QUOTE && codes[end - 1] === QUOTE ? 1 : 0
    if (this.#numeric) this.#addNumber(text, codes, start + quotes, end - quotes)
    if (this.#dated && !this.#numeric) this.#addDate(text, codes, start + quotes, end - quotes)
    if (this.values !== undefined) this.#count(text, codes, start, end)
  }

  #addNumber(text: string, codes: Uint16Array, start: number, end: number): void {
    const value = numberIn(text, codes, start, end)
    if (Number.isNaN(value)) {
      this.#numeric = false
      // A column has dates only if its first cell is a date.
      if (this.filled > 1) this.#dated = false
      return
    }
    if (value < this.#least) {
      this.#least = value
      this.#leastText = detach(text.slice(start, end))
    }
    if (value > this.#greatest) {
      this.#greatest = value
      this.#greatestText = detach(text.slice(start, end))
    }
  }

  #addDate(text: string, codes: Uint16Array, start: number, end: number): void {
    if (!isDate(codes, start, end) || (this.#leastText !== '' && this.#leastText.length !== end - start)) {
      this.#dated = false
      return
    }
    const date = text.slice(start, end)
    if (this.#leastText === '' || date < this.#leastText) this.#leastText = detach(date)
    if (date > this.#greatestText) this.#greatestText = detach(date)
  }

  #count(text: string, codes: Uint16Array, start: number, end: number): void {
    const values = this.values!
    if (end - start > LONGEST_VALUE) {
      this.values = undefined
      return
    }
    let hash = 0
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + codes[at]!) | 0
    for (let slot = (hash ^ (hash >>> 11)) & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const index = this.#slots[slot]!
      if (index === 0) {
        if (values.length === MOST_VALUES) {
          this.values = undefined
          return
        }
        values.push({ text: detach(text.slice(start, end)), row: this.filled + this.empty - 1, count: 1 })
        this.#slots[slot] = values.length
        return
      }
      const value = values[index - 1]!
      if (value.text.length === end - start && text.startsWith(value.text, start)) {
        value.count++
        return
      }
    }
  }
}

/** Returns the number, or `NaN` for other text. */
function numberIn(text: string, codes: Uint16Array, start: number, end: number): number {
  let at = start
  const first = codes[at]
  const negative = first === 45
  if (negative || first === 43) at++
  let value = 0
  let digits = 0
  let decimals = -1
  for (; at < end; at++) {
    const code = codes[at]!
    if (code >= 48 && code <= 57) {
      value = value * 10 + (code - 48)
      digits++
      if (decimals >= 0) decimals++
    } else if (code === 46 && decimals < 0) decimals = 0
    else break
  }
  if (digits === 0) return NaN
  if (at < end && (codes[at]! | 32) !== 101 && codes[at] !== 44 && codes[at] !== 46) return NaN
  if (at < end || digits > 15) return slowNumber(text, start, end)
  if (decimals > 0) value /= POWERS[decimals]!
  return negative ? -value : value
}

function slowNumber(text: string, start: number, end: number): number {
  if (end - start > 40) return NaN
  const written = text.slice(start, end)
  if (THOUSANDS.test(written)) return Number(written.replaceAll(',', ''))
  if (DECIMAL_COMMA.test(written)) return Number(written.replaceAll('.', '').replace(',', '.'))
  const value = Number(written)
  return Number.isFinite(value) ? value : NaN
}

/** Whether a text is a date: ISO 8601 with or without a time. Slashes may replace the hyphens. */
function isDate(codes: Uint16Array, start: number, end: number): boolean {
  const length = end - start
  if (length < 7 || length > 35) return false
  for (let at = 0; at < 7; at++) {
    const code = codes[start + at]!
    if (at === 4 ? code !== 45 && code !== 47 : code < 48 || code > 57) return false
  }
  if (length === 7) return true
  if (length < 10 || codes[start + 7] !== codes[start + 4]) return false
  for (let at = start + 8; at < end; at++) {
    const code = codes[at]!
    if ((code < 48 || code > 58) && !IN_TIMES.includes(code)) return false
  }
  return true
}
