/** Calls that each way is tried at first: the first of a regular expression are slow. */
const TRIALS = 3
/** After so many calls of the fastest way, those that are not far behind are tried once more, since content changes. */
const RETRY_CALLS = 32
/** How much of a new measurement goes into the mean. */
const NEWS = 0.2
/** A way that takes so many times as long as the fastest is not tried again; at first, while it may be slow, twice that. */
const FAR_BEHIND = 8

interface Record<Way> {
  readonly way: Way
  trials: number
  /** Milliseconds for each unit of work, as a mean of the last calls; at first of the best trial. */
  cost: number
}

/** Chooses the fastest of several ways to do the same work, by the time that each has taken so far. */
export class FastestWay<Way> {
  readonly #records: readonly Record<Way>[]
  #calls = 0

  /** @param ways - At least one. */
  constructor(ways: readonly Way[]) {
    this.#records = ways.map((way) => ({ way, trials: 0, cost: Infinity }))
  }

  /** Do so many units of the work in the way that is fastest, as far as is known. */
  run<Result>(units: number, work: (way: Way) => Result): Result {
    const record = this.#choose()
    if (this.#records.length === 1) return work(record.way)
    const begin = performance.now()
    const result = work(record.way)
    const cost = (performance.now() - begin) / (units + 1)
    record.cost = record.trials < TRIALS ? Math.min(record.cost, cost) : record.cost + (cost - record.cost) * NEWS
    record.trials++
    return result
  }

  #choose(): Record<Way> {
    const records = this.#records
    const best = Math.min(...records.map(({ cost }) => cost))
    const hopeful = records.filter(
      ({ trials, cost }) => trials === 0 || cost <= (trials < TRIALS ? 2 : 1) * FAR_BEHIND * best,
    )
    const untried = hopeful.find(({ trials }) => trials < TRIALS)
    if (untried !== undefined) return untried
    this.#calls++
    return hopeful[this.#calls % RETRY_CALLS] ?? hopeful.find(({ cost }) => cost === best) ?? records[0]!
  }
}
