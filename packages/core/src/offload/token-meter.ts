import { BoundedMap } from '@spillway/text/internal'

/** What offloading has cost and saved so far, in tokens. */
export interface Meter {
  /** Results that were looked at. */
  readonly results: number
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

const MAX_REMEMBERED_REFERENCES = 100_000

/** Count tokens avoided, shown and retrieved, without flattery. */
export class TokenMeter {
  #results = 0
  #offloaded = 0
  #avoided = 0
  #shown = 0
  #retrieved = 0
  #retrievals = 0
  #bounced = 0
  /** Which offloaded result a reference belongs to, as long as the agent has not come back for it. */
  readonly #waiting = new BoundedMap<string, { bounced: boolean }>(MAX_REMEMBERED_REFERENCES)

  seen(): void {
    this.#results += 1
  }

  offloaded(tokens: { readonly original: number; readonly replacement: number }, references: readonly string[]): void {
    this.#offloaded += 1
    this.#avoided += tokens.original
    this.#shown += tokens.replacement
    const result = { bounced: false }
    for (const reference of references) this.#waiting.set(reference, result)
  }

  retrieved(tokens: number, reference: string | undefined): void {
    this.#retrievals += 1
    this.#retrieved += tokens
    if (reference === undefined) return
    const result = this.#waiting.get(reference)
    this.#waiting.delete(reference)
    if (result === undefined || result.bounced) return
    result.bounced = true
    this.#bounced += 1
  }

  read(): Meter {
    return {
      results: this.#results,
      offloaded: this.#offloaded,
      tokensAvoided: this.#avoided,
      tokensShown: this.#shown,
      tokensRetrieved: this.#retrieved,
      tokensNet: this.#avoided - this.#shown - this.#retrieved,
      retrievals: this.#retrievals,
      bounceRate: this.#offloaded === 0 ? 0 : this.#bounced / this.#offloaded,
    }
  }
}
