import type { CountTokens } from './count-tokens.ts'

/** Functions made here: what is checked is not checked again for each scope below a scope. */
const checked = new WeakSet<CountTokens>()

/**
 * Count as `countTokens` does, and throw a `TypeError` where what it returns is no number of tokens: with `NaN` or a
 * promise every comparison with a limit would come out wrong.
 */
export function checkedCountTokens(countTokens: CountTokens): CountTokens {
  if (checked.has(countTokens)) return countTokens
  const count: CountTokens = (text) => {
    const tokens: unknown = countTokens(text)
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens
    throw new TypeError(`countTokens must return a number of tokens, 0 or more, got ${describe(tokens)}.`)
  }
  checked.add(count)
  return count
}

const describe = (value: unknown): string =>
  typeof value === 'number' ? String(value) : value instanceof Promise ? 'a promise' : typeof value
