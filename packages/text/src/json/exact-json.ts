/** What newer editions of JavaScript have, and its types do not yet. */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON?(text: string): object
  isRawJSON?(value: unknown): value is { readonly rawJSON: string }
}

const exact = JSON as unknown as ExactJson

/** A number that JavaScript may write in another way: one of many digits, with an exponent, or such as 1.0 and -0. */
const MAYBE = /[\d.]{16}|\d[eE]|\.\d*0(?!\d)|-0(?![.\d])|\.0{6}/
const NUMBER = /-?\d[\d.eE+-]*/g

/**
 * Parse JSON so that `JSON.stringify` writes its numbers again as they were, also those that JavaScript cannot hold, such as
 * ids of 64 bits.
 *
 * Such numbers become opaque objects, which {@link plainNumber} reads. All else is as `JSON.parse` has it, which is also
 * what runtimes without `JSON.rawJSON` do. Throws a `SyntaxError` for what is no JSON.
 *
 * @example
 * ```ts
 * import { parseExactJson, plainNumber } from '@spillway/core/adapter'
 *
 * const value = parseExactJson('{"id":1915883588174806058,"price":10.00}') as { id: unknown; price: unknown }
 * console.assert(JSON.stringify(value) === '{"id":1915883588174806058,"price":10.00}')
 * console.assert(plainNumber(value.price) === 10)
 * ```
 */
export function parseExactJson(text: string): unknown {
  const { rawJSON } = exact
  if (rawJSON === undefined || !mayBeInexact(text)) return JSON.parse(text) as unknown
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  )
}

/**
 * Write other JSON in the place of each number that {@link parseExactJson} keeps digit by digit, such as a string that
 * takes it through a parser of somebody else. What is no JSON is changed as if it were.
 *
 * @example
 * ```ts
 * import { rewriteInexactNumbers } from '@spillway/core/adapter'
 *
 * const text = rewriteInexactNumbers('{"a":10.00,"b":"10.00","c":10}', (number) => `"${number}"`)
 * console.assert(text === '{"a":"10.00","b":"10.00","c":10}')
 * ```
 */
export function rewriteInexactNumbers(text: string, write: (number: string) => string): string {
  let rewritten = ''
  for (const { start, end, next } of besideStrings(text)) {
    const piece = text.slice(start, end)
    rewritten += MAYBE.test(piece)
      ? piece.replace(NUMBER, (number) => (String(Number(number)) === number ? number : write(number)))
      : piece
    rewritten += text.slice(end, next)
  }
  return rewritten
}

/** Look for such numbers beside the strings, which most of a conversation is. */
function mayBeInexact(text: string): boolean {
  for (const { start, end } of besideStrings(text)) if (MAYBE.test(text.slice(start, end))) return true
  return false
}

/** Cut a text of JSON into what stands before each string, and the string up to `next`. */
function* besideStrings(
  text: string,
): Generator<{ readonly start: number; readonly end: number; readonly next: number }> {
  for (let start = 0; start < text.length;) {
    const quote = text.indexOf('"', start)
    const end = quote < 0 ? text.length : quote
    const next = quote < 0 ? end : Math.min(endOfString(text, quote, '"', '\\') + 1, text.length)
    yield { start, end, next }
    start = next
  }
}

/**
 * Return the number that an opaque object of {@link parseExactJson} stands for, as near as JavaScript has it, and any
 * other value as it is.
 *
 * @example
 * ```ts
 * import { parseExactJson, plainNumber } from '@spillway/core/adapter'
 *
 * console.assert(plainNumber(parseExactJson('1.50')) === 1.5 && plainNumber('1.50') === '1.50')
 * ```
 */
export const plainNumber = (value: unknown): unknown => (isExactNumber(value) ? Number(value.rawJSON) : value)

/**
 * Tell whether a value is an opaque object that {@link parseExactJson} makes of a number.
 *
 * @example
 * ```ts
 * import { isExactNumber, parseExactJson } from '@spillway/core/adapter'
 *
 * console.assert(!isExactNumber(parseExactJson('1.5')) && !isExactNumber({ rawJSON: '1.50' }))
 * ```
 */
export const isExactNumber = (value: unknown): value is { readonly rawJSON: string } =>
  exact.isRawJSON?.(value) === true

/** Parse JSON that a model or a tool wrote; `undefined` where it is none. */
export function parseJsonText(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

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
