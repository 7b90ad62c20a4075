import type { CountTokens } from './count-tokens.ts'

/** Characters counted first for each token of the limit. */
const UNITS_PER_TOKEN = 5

/** Tokens by which a beginning must be over the limit: a cut may part one token in several. */
const CUT_SLACK = 16

/**
 * Tell whether a text has more than `limit` tokens, counting only as much of its beginning as the answer needs.
 *
 * A text of exactly `limit` tokens is not longer. Costs a few times the limit for a text that is over it, however long,
 * and a few times the text for one that is not.
 */
export function longerThan(text: string, limit: number, countTokens: CountTokens): boolean {
  if (limit === Infinity) return false
  let units = Math.max(256, Math.ceil(limit) * UNITS_PER_TOKEN)
  for (; units < text.length; units *= 2) {
    if (countTokens(text.slice(0, units)) > limit + CUT_SLACK) return true
  }
  return countTokens(text) > limit
}
