import type { PostgresClient } from '../../src/connection.ts'
import type { PostgresPool } from '../../src/index.ts'

/** Runs statements of several actors one at a time, in a given order. */
export class Turns {
  readonly #order: readonly number[]
  readonly #waiting: (() => void)[] = []
  #actors: number
  #taken = 0
  #isRunning = false

  /** Make turns for a number of actors. `order` determines which waiting actor is next. */
  constructor(actors: number, order: readonly number[]) {
    this.#actors = actors
    this.#order = order
  }

  /** Return a pool for one actor, which gives no connection after `killAfter` turns, as if the actor was killed. */
  gate(pool: PostgresPool, killAfter: number): PostgresPool {
    let turns = 0
    return {
      totalCount: 0,
      options: pool.options,
      connect: (callback) => {
        if ((turns += 1) > killAfter) return callback(new Error('Connection terminated unexpectedly'), undefined)
        const begin = (): void =>
          pool.connect((error, client) => callback(error, client === undefined ? undefined : this.#inTurn(client)))
        this.#waiting.push(begin)
        this.#next()
      },
      end: () => pool.end(),
    }
  }

  /** The turn ends when the client is released. */
  #inTurn(client: PostgresClient): PostgresClient {
    return {
      query: (query) => client.query(query),
      on: (...parameters) => client.on(...parameters),
      off: (...parameters) => client.off(...parameters),
      release: (destroy) => {
        client.release(destroy)
        this.#isRunning = false
        this.#next()
      },
    }
  }

  /** End the turns of one actor. */
  end(): void {
    this.#actors -= 1
    this.#next()
  }

  /** Start the next turn after all actors wait. */
  #next(): void {
    if (this.#isRunning || this.#waiting.length < Math.max(1, this.#actors)) return
    this.#isRunning = true
    const at = (this.#order[this.#taken % this.#order.length] ?? 0) % this.#waiting.length
    this.#taken += 1
    this.#waiting.splice(at, 1)[0]?.()
  }
}
