import type { Fields } from './check-fields.ts'

/** A text up to this length is one of the short fields beside a long one: what stands in the place of a text is longer. */
const MAX_SHORT_TEXT = 100
/** The short fields beside a text have no more characters than this together. */
const MAX_BESIDE_TEXT = 1_000
/** Fields in which frameworks put a text that a tool returned or threw, and nothing else. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(['output', 'result', 'error', 'content'])

/**
 * Name the field whose text is about all that the response of a function has, so that it is stored as text, with its own
 * lines; `undefined` where there is none.
 *
 * The answer stays the same when a reference takes the place of the text.
 *
 * @example
 * ```ts
 * import { responseTextField } from '@spillway/history/format'
 *
 * console.assert(responseTextField({ output: 'all of the log' }) === 'output')
 * console.assert(responseTextField({ rows: [1, 2] }) === undefined)
 * ```
 */
export function responseTextField(response: Fields): string | undefined {
  const names = Object.keys(response)
  const [only] = names
  if (names.length === 1 && only !== undefined && TEXT_FIELDS.has(only) && typeof response[only] === 'string')
    return only
  const long = names.filter((name) => isLongText(response[name]))
  const [field] = long
  if (field === undefined || long.length > 1) return undefined
  let left = MAX_BESIDE_TEXT
  for (const name of names) if (name !== field) left = spend(response[name], left - name.length, 0)
  return left >= 0 ? field : undefined
}

const isLongText = (value: unknown): boolean => typeof value === 'string' && value.length > MAX_SHORT_TEXT

/** Take the characters of a value from those that are left, as far as there are any. */
function spend(value: unknown, left: number, depth: number): number {
  if (left < 0 || depth > 8) return -1
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left - 4
  let rest = left - 2
  for (const key in value) {
    if (rest < 0) return rest
    rest = spend((value as Fields)[key], rest - key.length, depth + 1)
  }
  return rest
}
