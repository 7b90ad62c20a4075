import { BoundedMap } from '@spillway/text/internal'

/** Token totals of a meter or a journal. */
export interface TokenTotals {
  /** Number of offloaded results. */
  readonly offloaded: number
  /** Tokens of offloaded results. A result counts each time it is offloaded, not in each prompt that has it. */
  readonly tokensAvoided: number
  /** Tokens of the replacements. */
  readonly tokensShown: number
  /** Tokens of the retrieval tool's answers. */
  readonly tokensRetrieved: number
  /** `tokensAvoided - tokensShown - tokensRetrieved`. Negative if offloading cost more than it saved. */
  readonly tokensNet: number
  /** Calls of the retrieval tool. */
  readonly retrievals: number
  /** Share of offloaded results that the agent retrieved, from 0 to 1. */
  readonly bounceRate: number
}

export class TokenSums {
  bounced = 0
  #offloaded = 0
  #avoided = 0
  #shown = 0
  #retrieved = 0
  #retrievals = 0

  offload({ original, replacement }: { readonly original: number; readonly replacement: number }): void {
    this.#offloaded += 1
    this.#avoided += original
    this.#shown += replacement
  }

  retrieve(tokens: number): void {
    this.#retrievals += 1
    this.#retrieved += tokens
  }

  read(): TokenTotals {
    return {
      offloaded: this.#offloaded,
      tokensAvoided: this.#avoided,
      tokensShown: this.#shown,
      tokensRetrieved: this.#retrieved,
      tokensNet: this.#avoided - this.#shown - this.#retrieved,
      retrievals: this.#retrievals,
      bounceRate: this.#offloaded === 0 ? 0 : this.bounced / this.#offloaded,
    }
  }
}

/** Token totals of an offloader so far. */
export interface Meter extends TokenTotals {
  /** Number of results checked. */
  readonly results: number
  /** Number of results that could not be stored. */
  readonly failed: number
  /** Number of results that `shadow` mode would have tried to offload. */
  readonly shadowed: number
  /** Tokens of the results that `shadowed` counts. */
  readonly tokensShadowed: number
}

const MAX_REMEMBERED_REFERENCES = 100_000

export class TokenMeter {
  readonly #sums = new TokenSums()
  #results = 0
  #failed = 0
  #shadowed = 0
  #tokensShadowed = 0
  /** Offloaded results by reference. A result is removed once the agent retrieves it. */
  readonly #waiting = new BoundedMap<string, { bounced: boolean }>(MAX_REMEMBERED_REFERENCES)

  seen(): void {
    this.#results += 1
  }

  failed(): void {
    this.#failed += 1
  }

  shadowed(tokens: number): void {
    this.#shadowed += 1
    this.#tokensShadowed += tokens
  }

  offloaded(tokens: { readonly original: number; readonly replacement: number }, references: readonly string[]): void {
    this.#sums.offload(tokens)
    const result = { bounced: false }
    for (const reference of references) this.#waiting.set(reference, result)
  }

  retrieved(tokens: number, reference: string | undefined): void {
    this.#sums.retrieve(tokens)
    if (reference === undefined) return
    const result = this.#waiting.get(reference)
    this.#waiting.delete(reference)
    if (result === undefined || result.bounced) return
    result.bounced = true
    this.#sums.bounced += 1
  }

  read(): Meter {
    const counted = { shadowed: this.#shadowed, tokensShadowed: this.#tokensShadowed }
    return { results: this.#results, failed: this.#failed, ...counted, ...this.#sums.read() }
  }
}
