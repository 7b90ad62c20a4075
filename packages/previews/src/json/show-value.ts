import { formatCount, cutAtGrapheme } from '@spillway/text/internal'
import type { ValueSummary } from './value-summary.ts'

/** Most different values that are shown as a complete list. */
const LISTED = 6
/** Least units of a long string that are shown. */
const LEAST_UNITS = 6

/** A value as it is shown, and whether more room would show more of it. */
export interface ShownValue {
  readonly text: string
  readonly cut: boolean
}

/**
 * Show the values of one path within about `cap` UTF-16 units: the one value, all of a few, the least and the most number,
 * or the first of many (`"first"|…`).
 *
 * @param several - Whether of many as many are shown as there is room for.
 */
export function showValues(summary: ValueSummary, cap: number, several: boolean): ShownValue {
  const { values, times, more, numbers, strings, words, firstLength } = summary
  if (!more && values.length === 1) return showScalar(values[0]!, cap, firstLength)
  const few = !more && values.length <= LISTED
  if (few) {
    const repeats = values.length < strings + numbers + words
    const listed = values.map((value, index) => tidy(value) + (repeats ? ` ×${formatCount(times[index]!)}` : ''))
    const text = listed.join('|')
    if (text.length <= cap) return { text, cut: false }
  }
  const parts: string[] = []
  let cut = few
  if (numbers > 0) parts.push(`${summary.leastText}..${summary.mostText}`)
  if (strings > 0) {
    const texts = values.filter(isString)
    const first = texts[0] ?? '""'
    const scalar = showScalar(first, cap, first === values[0] ? firstLength : first.length)
    const shown = [scalar.text]
    cut ||= scalar.cut
    let left = cap - scalar.text.length
    for (const value of several ? texts.slice(1) : []) {
      left -= value.length + 1
      if (left < 0) cut = true
      else shown.push(tidy(value))
    }
    parts.push(...shown, ...(more || texts.length > shown.length ? ['…'] : []))
  }
  if (words > 0) parts.push(...values.filter((value) => /^[A-Za-z]/.test(value)))
  return { text: parts.join('|'), cut }
}

/** Whether a value, as it stands in the text, is a string. */
export function isString(value: string): boolean {
  return value.startsWith('"') || value.startsWith("'")
}

/**
 * Show a number, a word or a string, as it stands in the text; a string is cut where it is longer than `cap`.
 *
 * @param length - Of the whole value, where `value` is only its start.
 */
export function showScalar(value: string, cap: number, length: number = value.length): ShownValue {
  if (!isString(value) || (length <= cap && value.length >= length)) return { text: tidy(value), cut: false }
  const quote = value[0]!
  const start = cutEscape(
    cutAtGrapheme(value.slice(1, value.length < length ? undefined : -1), Math.max(cap, LEAST_UNITS)),
  )
  const rest = length - 2 - start.length
  if (rest <= 0) return { text: tidy(value), cut: false }
  return { text: `${quote}${tidy(start)}[… ${formatCount(rest)} more]${quote}`, cut: true }
}

/** Leave out an escape that is cut at the end. */
function cutEscape(raw: string): string {
  let backslashes = 0
  const at = raw.lastIndexOf('\\')
  if (at < raw.length - 5 || at < 0) return raw
  while (raw[at - backslashes] === '\\') backslashes++
  if (backslashes % 2 === 0) return raw
  const cut = at === raw.length - 1 || (raw[at + 1] === 'u' && raw.length - at < 6)
  return cut ? raw.slice(0, at) : raw
}

/** Write characters outside ASCII as themselves, and nothing that a terminal acts on. */
export function tidy(raw: string): string {
  let text = raw
  if (text.includes('\\u') || text.includes('\\/')) {
    text = text.replace(/\\\\|\\\/|\\u([\da-f]{4})/gi, (escape: string, hex: string | undefined) => {
      if (hex === undefined) return escape === '\\/' ? '/' : escape
      const code = Number.parseInt(hex, 16)
      return code < 0xa0 || (code >= 0x2028 && code <= 0x202f) ? escape : String.fromCharCode(code)
    })
  }
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').toWellFormed()
}
