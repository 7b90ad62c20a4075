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

/** Some work in one way, and the time that it takes. */
export class Call<Way> {
  readonly #record: Record<Way>
  #milliseconds = 0
  #begin = performance.now()

  constructor(record: Record<Way>) {
    this.#record = record
  }

  get way(): Way {
    return this.#record.way
  }

  /** Let time pass that is not spent on the work. */
  pause(): void {
    this.#milliseconds += performance.now() - this.#begin
  }

  /** Go on with the work after a pause. */
  resume(): void {
    this.#begin = performance.now()
  }

  /** End the work, of which so many units were done. */
  end(units: number): void {
    this.pause()
    const record = this.#record
    const cost = this.#milliseconds / (units + 1)
    record.cost = record.trials < TRIALS ? Math.min(record.cost, cost) : record.cost + (cost - record.cost) * NEWS
    record.trials++
  }
}

/** Chooses the fastest of several ways to do the same work, by the time that each has taken so far. */
export class FastestWay<Way> {
  readonly #records: readonly Record<Way>[]
  #calls = 0

  /** @param ways - At least one. */
  constructor(ways: readonly Way[]) {
    this.#records = ways.map((way) => ({ way, trials: 0, cost: Infinity }))
  }

  /** Begin some work in the way that is fastest, as far as is known. Its time runs until the call is ended. */
  begin(): Call<Way> {
    return new Call(this.#choose())
  }

  #choose(): Record<Way> {
    const records = this.#records
    if (records.length === 1) return records[0]!
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
