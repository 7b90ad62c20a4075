/** A text of JSON, as bytes or as units. */
interface JsonText<Unit> {
  readonly length: number
  readonly [index: number]: Unit
  indexOf(unit: Unit, start: number): number
}

/**
 * Return where the quote is that ends a string of JSON, or the length of the text where none does.
 *
 * @param start - Where the quote is that begins the string.
 *
 * @example
 * ```ts
 * import { endOfString } from '@spillway/core/adapter'
 *
 * console.assert(endOfString('["a\\"b"]', 1, '"', '\\') === 6)
 * ```
 */
export function endOfString<Unit>(text: JsonText<Unit>, start: number, quote: Unit, backslash: Unit): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf(quote, at)
    if (at < 0) return text.length
    let backslashes = 0
    while (text[at - 1 - backslashes] === backslash) backslashes += 1
    if (backslashes % 2 === 0) return at
  }
}
