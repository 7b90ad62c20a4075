interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON?(text: string): object
  isRawJSON?(value: unknown): value is { readonly rawJSON: string }
}

const exact = JSON as unknown as ExactJson
/** Possible numbers that JavaScript formats differently: many digits, an exponent, a final zero (1.0), or -0. */
const MAYBE = /[\d.]{16}|\d[eE]|\.\d*0(?!\d)|-0(?![.\d])|\.0{6}/
const NUMBER = /-?\d[\d.eE+-]*/g

/**
 * Parse JSON so that `JSON.stringify` preserves all numbers, even those that JavaScript cannot represent, for example
 * ids of 64 bits. Such numbers become opaque objects, and {@link plainNumber} converts them. If the runtime has no
 * `JSON.rawJSON`, the result is the same as with `JSON.parse`. Throws a `SyntaxError` for invalid JSON.
 */
export function parseExactJson(text: string): unknown {
  const { rawJSON } = exact
  if (rawJSON === undefined || !mayBeInexact(text)) return JSON.parse(text) as unknown
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  )
}

/** Replace each number that {@link parseExactJson} would preserve by other JSON. The text is not validated. */
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

/** Whether a text may have numbers that JavaScript formats differently. Text in strings is ignored. */
function mayBeInexact(text: string): boolean {
  for (const { start, end } of besideStrings(text)) if (MAYBE.test(text.slice(start, end))) return true
  return false
}

/** Yield each part of a JSON text before a string, and the end `next` of this string. The last part has no string. */
export function* besideStrings(
  text: string,
): Generator<{ readonly start: number; readonly end: number; readonly next: number }> {
  for (let start = 0; start < text.length;) {
    const quote = text.indexOf('"', start)
    const end = quote < 0 ? text.length : quote
    const next = quote < 0 ? end : Math.min(endOfString(text, quote) + 1, text.length)
    yield { start, end, next }
    start = next
  }
}

/** Convert an opaque object of {@link parseExactJson} to the nearest number. Other values are unchanged. */
export const plainNumber = (value: unknown): unknown => (isExactNumber(value) ? Number(value.rawJSON) : value)

/** Return whether a value is an opaque number of {@link parseExactJson}. */
export const isExactNumber = (value: unknown): value is { readonly rawJSON: string } =>
  exact.isRawJSON?.(value) === true

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return at
  }
}
