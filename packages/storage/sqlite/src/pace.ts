/** How long to work before others get a turn, in milliseconds. */
const MAX_WORK_MS = 10

/**
 * Give others a turn of the event loop once in a while: better-sqlite3 answers at once, so that a row of calls would
 * otherwise go on without one, however long it is.
 */
export class Pace {
  #worked = 0

  /** Run some work and count how long it takes. */
  run<Result>(work: () => Result): Result {
    const begun = performance.now()
    try {
      return work()
    } finally {
      this.#worked += performance.now() - begun
    }
  }

  /** Whether others are due. */
  get isDue(): boolean {
    return this.#worked > MAX_WORK_MS
  }

  /** Let others have their turn. */
  async rest(): Promise<void> {
    this.#worked = 0
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
