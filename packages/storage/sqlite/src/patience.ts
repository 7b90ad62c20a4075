import type { Pace } from './pace.ts'
import { isBusy } from './sqlite-error.ts'

/** Pauses between tries, in milliseconds; the last one is repeated. */
const PAUSES_MS: readonly number[] = [1, 1, 2, 4, 8, 16]

/**
 * Do work that another connection may be in the way of, again and again, without holding the event loop meanwhile.
 *
 * Those who wait stand in line, so that one of them asks for all: many that ask at the same time would keep each other
 * from getting through. Whoever comes when others of the event loop are due stands there too, so that each rests before
 * the next one goes on.
 */
export class Patience {
  readonly #timeoutMs: number
  readonly #pace: Pace
  #line: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(timeoutMs: number, pace: Pace) {
    this.#timeoutMs = timeoutMs
    this.#pace = pace
  }

  /** Run `work`, which must have no effect where it throws; what keeps it busy beyond the timeout is thrown. */
  async run<Result>(work: () => Result): Promise<Result> {
    const deadline = performance.now() + this.#timeoutMs
    if (this.#waiting === 0 && !this.#pace.isDue)
      try {
        return this.#pace.run(work)
      } catch (error) {
        if (!isBusy(error)) throw error
      }
    this.#waiting += 1
    const result = this.#line.then(() => this.#persist(work, deadline))
    this.#line = Promise.allSettled([result])
    try {
      return await result
    } finally {
      this.#waiting -= 1
    }
  }

  async #persist<Result>(work: () => Result, deadline: number): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.#pace.isDue) await this.#pace.rest()
      try {
        return this.#pace.run(work)
      } catch (error) {
        const left = deadline - performance.now()
        if (!isBusy(error) || left <= 0) throw error
        const longest = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 1
        const pause = Math.min(left, longest * (0.5 + Math.random() / 2))
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }
}
