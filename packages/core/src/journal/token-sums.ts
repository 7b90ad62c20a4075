/** Token totals of a meter or a journal. */
export interface TokenTotals {
  /** Number of offloaded results. */
  readonly offloaded: number
  /** Tokens of offloaded results, each counted once. */
  readonly tokensAvoided: number
  /** Tokens of the replacements. */
  readonly tokensShown: number
  /** Tokens of the retrieval tool's answers. */
  readonly tokensRetrieved: number
  /** `tokensAvoided - tokensShown - tokensRetrieved`. Negative if offloading did not pay. */
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
