import { formatCount } from '../../content/format-count.ts'
import { cutAtGrapheme } from '../../tokens/cut-at-grapheme.ts'
import type { ValueSummary } from './value-summary.ts'

/** Most different values that are shown as a complete list. */
const LISTED = 6

/**
 * Show the values of one path within about `cap` UTF-16 units: the one value, all of a few, the least and the most number,
 * or the first of many (`"first"|…`).
 *
 * @param several - Whether of many as many are shown as there is room for.
 */
export function showValues(values: ValueSummary, cap: number, several: boolean): { text: string; cut: boolean } {
  const { strings, numbers, words } = values
  const all = [...values.values]
  if (!values.more && all.length === 1) return showScalar(all[0]![0], cap, values.firstLength)
  if (!values.more && all.length <= LISTED) {
    const repeated = all.length < strings + numbers + words
    const listed = all.map(([value, count]) => tidy(value) + (repeated ? ` ×${formatCount(count)}` : '')).join('|')
    if (listed.length <= cap) return { text: listed, cut: false }
  }
  const shown: string[] = []
  let cut = !values.more && all.length <= LISTED
  if (numbers > 0) shown.push(`${values.leastText}..${values.mostText}`)
  if (strings > 0) {
    const texts = all.filter(([value]) => value.startsWith('"'))
    const first = texts[0]?.[0]
    if (first === undefined) shown.push('"…"')
    else {
      const scalar = showScalar(first, cap, first === all[0]![0] ? values.firstLength : first.length)
      shown.push(scalar.text)
      cut ||= scalar.cut
    }
    let length = shown.at(-1)!.length
    for (const [value] of several ? texts.slice(1) : []) {
      const next = tidy(value)
      if ((length += next.length + 1) > cap) {
        cut = true
        break
      }
      shown.push(next)
    }
    if (values.more || texts.length > shown.length - (numbers > 0 ? 1 : 0)) shown.push('…')
  }
  if (words > 0) shown.push(...all.filter(([value]) => isWord(value)).map(([value]) => value))
  return { text: shown.join('|'), cut }
}

const isWord = (value: string): boolean => /^[A-Za-z]/.test(value)

/** Show a number, a word or a quoted string, cut where it is longer than `cap`; `length` is that of the whole value. */
export function showScalar(value: string, cap: number, length: number = value.length): { text: string; cut: boolean } {
  if (!value.startsWith('"')) return { text: tidy(value), cut: false }
  if (length <= Math.max(cap, 12) && value.length >= length) return { text: tidy(value), cut: false }
  const start = cutEscaped(cutAtGrapheme(value.slice(1, -1), Math.max(cap - 4, 6)))
  return {
    text: `"${tidy(start)}[… ${formatCount(Math.max(length, value.length) - start.length - 2)} more]"`,
    cut: true,
  }
}

/** Leave out an escape that is cut at the end. */
function cutEscaped(raw: string): string {
  const tail = raw.slice(-12)
  const escape = /(?:^|[^\\])(?:\\\\)*(\\(?:u[\da-f]{0,3})?)$/i.exec(tail)
  return escape === null ? raw : raw.slice(0, raw.length - escape[1]!.length)
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
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').toWellFormed()
}
