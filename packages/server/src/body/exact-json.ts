import { endOfString } from './end-of-string.ts'

/** What newer editions of JavaScript have, and its types do not yet. */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON?(text: string): object
  isRawJSON?(value: unknown): value is { readonly rawJSON: string }
}

const exact = JSON as unknown as ExactJson

/** A number that JavaScript may change: one of many digits, or with a large exponent. */
const MAYBE = /\d{16}|\de\+?\d{3}/i
const SHORTEST = '1e999'.length

/**
 * Parse JSON so that `JSON.stringify` writes its numbers again as they were, also those that JavaScript cannot hold, such as
 * ids of 64 bits. These become opaque objects.
 */
export function parseExactJson(text: string): unknown {
  const { rawJSON } = exact
  if (rawJSON === undefined || !mayBeInexact(text)) return JSON.parse(text) as unknown
  return exact.parse(text, (_key, value, { source }) =>
    source !== undefined && isInexact(value, source) ? rawJSON(source) : value,
  )
}

/** Look for such numbers beside the strings, which most of a conversation is. */
function mayBeInexact(text: string): boolean {
  for (let at = 0; ;) {
    const quote = text.indexOf('"', at)
    const end = quote < 0 ? text.length : quote
    if (end - at >= SHORTEST && MAYBE.test(text.slice(at, end))) return true
    if (quote < 0) return false
    at = endOfString(text, quote, '"', '\\') + 1
  }
}

/** Return the number that such an opaque object stands for, as JavaScript has it, and any other value as it is. */
export const plainNumber = (value: unknown): unknown =>
  exact.isRawJSON?.(value) === true ? Number(value.rawJSON) : value

/** Fractions are as near as they can be to what was meant; of whole numbers each digit may count. */
const isInexact = (value: unknown, source: string): boolean =>
  typeof value === 'number' && (Number.isInteger(value) ? !isKept(value, source) : !Number.isFinite(value))

const isKept = (value: number, source: string): boolean => Number.isSafeInteger(value) || String(value) === source
