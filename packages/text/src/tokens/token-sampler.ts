import type { CountTokens } from './count-tokens.ts'

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
