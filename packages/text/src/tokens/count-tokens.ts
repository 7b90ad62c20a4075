/**
 * Count the tokens of a text as the model would. Must be deterministic, and may be slow: it is given texts of at most
 * a few times the budget concerned, never a large result as a whole.
 */
export type CountTokens = (text: string) => number

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

const STEP_UNITS = 65_536
const SAMPLE_UNITS = 1_024

/**
 * Estimate the tokens of a text that arrives in pieces, counting the first 1,024 of each 65,536 characters.
 *
 * The result does not depend on how the text was split.
 */
export class TokenSampler {
  readonly #countTokens: CountTokens
  #position = 0
  #sample = ''
  #sampled = 0
  #tokens = 0

  constructor(countTokens: CountTokens) {
    this.#countTokens = countTokens
  }

  push(text: string): void {
    let at = 0
    while (at < text.length) {
      const offset = this.#position % STEP_UNITS
      const end = Math.min(text.length, at + (offset < SAMPLE_UNITS ? SAMPLE_UNITS : STEP_UNITS) - offset)
      if (offset < SAMPLE_UNITS) this.#sample += text.slice(at, end)
      this.#position += end - at
      at = end
      if (this.#sample.length === SAMPLE_UNITS) this.#count()
    }
  }

  /** Return the estimate for all that was pushed. */
  tokens(): number {
    this.#count()
    return this.#sampled === 0 ? 0 : Math.ceil((this.#tokens / this.#sampled) * this.#position)
  }

  #count(): void {
    this.#tokens += this.#countTokens(this.#sample)
    this.#sampled += this.#sample.length
    this.#sample = ''
  }
}
