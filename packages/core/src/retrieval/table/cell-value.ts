/** UTF-16 units of a number or a date, at most. */
const LONGEST_VALUE = 48

/** A number as people write it: signs, a currency, commas between thousands, an exponent, a percent sign. */
const NUMBER = /^[-+]?[$€£¥]?[-+]?(?:\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))(?:\.\d*)?(?:e[-+]?\d{1,3})?\s?%?$/i
/** What follows the minutes: seconds, a fraction of them, and a zone. */
const REST_OF_TIME = /^(?::([0-5]\d)(?:[.,](\d{1,9}))?)?\s?(?:Z|UTC|([-+])(\d\d):?(\d\d))?$/i
const DASH = 45
const SLASH = 47
const COLON = 58
const UNCOUNTED = /[$€£¥,%\s]/g

/** Read a number: `1,234.5`, `12%` (as 12), `$3.00`, `-1e-3`; `undefined` for anything else. */
export function numberOf(text: string): number | undefined {
  const { length } = text
  if (length === 0 || length > LONGEST_VALUE) return undefined
  // Digits alone are the usual case.
  let value = 0
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9 || at === 15) return NUMBER.test(text) ? Number(text.replace(UNCOUNTED, '')) : undefined
    value = value * 10 + digit
  }
  return value
}

/**
 * Read a date of ISO 8601 as milliseconds since 1970: `2024`, `2024-03`, `2024-03-05`, and with a time `2024-03-05T10:30`,
 * with or without seconds and a zone; a blank may stand for the T, and slashes for the dashes. Without a zone it is taken
 * as UTC. `undefined` for anything else, and for dates that no calendar has.
 */
export function timeOf(text: string): number | undefined {
  const { length } = text
  if (length < 4 || length > LONGEST_VALUE) return undefined
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  if (length === 4) return dateOf(year, 1, 1)
  const separator = text.charCodeAt(4)
  if (separator !== DASH && separator !== SLASH) return undefined
  const month = twoDigits(text, 5)
  if (length === 7) return dateOf(year, month, 1)
  if (text.charCodeAt(7) !== separator) return undefined
  const date = dateOf(year, month, twoDigits(text, 8))
  if (date === undefined || length === 10) return date
  if (!/[T ]/i.test(text[10]!) || text.charCodeAt(13) !== COLON) return undefined
  const hours = twoDigits(text, 11)
  const minutes = twoDigits(text, 14)
  if (!(hours < 24 && minutes < 60)) return undefined
  const time = date + (hours * 60 + minutes) * 60_000
  return length === 16 ? time : withRest(time, text)
}

/** Add the seconds and the zone, which stand from the sixteenth unit on. */
function withRest(time: number, text: string): number | undefined {
  const match = REST_OF_TIME.exec(text.slice(16))
  if (match === null) return undefined
  const [, seconds = '0', fraction = '0', sign, hours = '0', minutes = '0'] = match
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  return time + Number(seconds) * 1_000 + Number(`0.${fraction}`) * 1_000 + (sign === '-' ? offset : -offset)
}

function dateOf(year: number, month: number, day: number): number | undefined {
  if (!(year >= 100)) return undefined
  const time = Date.UTC(year, month - 1, day)
  // What is no date, such as February 30, comes out as another one, or as none.
  return new Date(time).getUTCDate() === day && month >= 1 && month <= 12 ? time : undefined
}

/** The number that two digits make; `NaN` where they are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Whether a cell says that there is nothing: it is missing, blank, or one of the words of databases for that. */
export function isNull(cell: string | undefined): boolean {
  if (cell === undefined) return true
  if (cell.length > 16) return cell.trim() === ''
  return /^\s*(?:null|\(null\)|<null>|\\N)?\s*$/i.test(cell)
}

/** A value to compare cells with. */
export class Operand {
  readonly text: string
  readonly #number: number | undefined
  readonly #time: number | undefined

  constructor(text: string) {
    this.text = text.trim()
    this.#number = numberOf(this.text)
    this.#time = timeOf(this.text)
  }

  /** Whether a cell is the same number, date or text. */
  equals(cell: string): boolean {
    return this.#difference(cell) === 0 || cell === this.text
  }

  /**
   * Tell how a cell compares: below zero where it comes before this value, above zero where it comes after it.
   * `undefined` where they have no order: a number or a date and something else.
   */
  order(cell: string): number | undefined {
    const difference = this.#difference(cell)
    if (difference !== undefined) return difference
    if (this.#number !== undefined || this.#time !== undefined || isNull(cell)) return undefined
    return cell < this.text ? -1 : cell > this.text ? 1 : 0
  }

  /** The difference of two numbers or two dates. */
  #difference(cell: string): number | undefined {
    if (this.#number !== undefined) {
      const number = numberOf(cell)
      if (number !== undefined) return this.#exact(number - this.#number, cell)
    }
    if (this.#time === undefined) return undefined
    const time = timeOf(cell)
    return time === undefined ? undefined : this.#exact(time - this.#time, cell)
  }

  /** Numbers of more digits than a double has differ by their text. */
  #exact(difference: number, cell: string): number {
    if (difference !== 0 || cell.length < 16 || cell.length !== this.text.length) return difference
    return cell < this.text ? -1 : cell > this.text ? 1 : 0
  }
}
