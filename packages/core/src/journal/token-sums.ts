/** Sums of tokens that a meter and a journal have in common. */
export interface TokenTotals {
  /** Results that were offloaded. */
  readonly offloaded: number
  /** Tokens of offloaded results, counted once, though a context is sent again at every turn. */
  readonly tokensAvoided: number
  /** Tokens of the replacements that stand in their place. */
  readonly tokensShown: number
  /** Tokens of the retrieval tool's answers. */
  readonly tokensRetrieved: number
  /** `tokensAvoided - tokensShown - tokensRetrieved`: negative where offloading did not pay. */
  readonly tokensNet: number
  /** Calls of the retrieval tool. */
  readonly retrievals: number
  /** Share of offloaded results that the agent came back for, from 0 to 1. */
  readonly bounceRate: number
}

/** Adds up tokens avoided, shown and retrieved, without flattery. */
export class TokenSums {
  /** Results that the agent came back for. */
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
