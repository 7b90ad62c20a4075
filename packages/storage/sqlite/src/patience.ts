import { isBusy } from './sqlite-error.ts'

/** Pauses between tries, in milliseconds; the last one is repeated. */
const PAUSES_MS: readonly number[] = [1, 1, 2, 4, 8, 16]

/**
 * Do work that another connection may be in the way of, again and again, without holding the event loop meanwhile.
 *
 * Those who wait stand in line, so that one of them asks for all: many that ask at the same time would keep each other
 * from getting through.
 */
export class Patience {
  readonly #timeoutMs: number
  #line: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Run `work`, which must have no effect where it throws; what keeps it busy beyond the timeout is thrown. */
  async run<Result>(work: () => Result): Promise<Result> {
    const deadline = performance.now() + this.#timeoutMs
    if (this.#waiting === 0)
      try {
        return work()
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
      try {
        return work()
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
