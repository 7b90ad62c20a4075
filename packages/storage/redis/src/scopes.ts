import { BoundedMap } from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import { indexKey, scopeOfPrefix, type Keys } from './keys.ts'

const PAGE = 1_000
const PRUNED_AT_ONCE = 100
const MAX_REMEMBERED = 10_000
/** How long an empty scope is still known after somebody wrote to it. */
const SCOPE_AGE_MS = 3_600_000

/**
 * Know which scopes there are: a sorted set of their paths, in the order of the paths, so that those below one are a range.
 *
 * In a Cluster it is in another slot than most scopes, so nothing is atomic. A writer enters its scope before it writes,
 * and again after a sixth of the age, which also mends a set that the server has evicted. Empty scopes are taken out only
 * beyond that age, and put back if they are not empty after that.
 */
export class Scopes {
  readonly #connection: Connection
  readonly #keys: Keys
  readonly #ageMs: number
  readonly #entered = new BoundedMap<string, number>(MAX_REMEMBERED)

  constructor(connection: Connection, keys: Keys, ageMs: number = SCOPE_AGE_MS) {
    this.#ageMs = ageMs
    this.#connection = connection
    this.#keys = keys
  }

  /** Enter a scope before it is written to. */
  async enter(path: string): Promise<void> {
    if (path === '') return
    const enteredAt = this.#entered.get(path)
    if (enteredAt !== undefined && performance.now() - enteredAt < this.#ageMs / 6) return
    await this.add([path])
    this.#entered.set(path, performance.now())
  }

  /** Enter scopes, whatever is remembered. */
  async add(paths: readonly string[]): Promise<void> {
    const named = paths.filter((path) => path !== '')
    if (named.length === 0) return
    const now = Date.now()
    await Promise.all([
      this.#connection.command('ZADD', this.#keys.entered, ...named.flatMap((path) => [now, path])),
      this.#connection.command('ZADD', this.#keys.scopes, ...named.flatMap((path) => [0, path])),
    ])
  }

  /** Name the scope of a driver's prefix of ids and those below it, by pages. */
  async *below(prefix: string): AsyncGenerator<string[]> {
    yield [scopeOfPrefix(prefix)]
    // '0' is what follows '/'.
    const end = prefix === '' ? '+' : `(${scopeOfPrefix(prefix)}0`
    let start = prefix === '' ? '-' : `[${prefix}`
    for (;;) {
      const reply = await this.#connection.command('ZRANGEBYLEX', this.#keys.scopes, start, end, 'LIMIT', 0, PAGE)
      const page = (reply as Buffer[]).map(String)
      if (page.length > 0) yield page
      if (page.length < PAGE) return
      start = `(${page.at(-1) ?? ''}`
    }
  }

  /** Take out scopes in which nothing is left. */
  async prune(paths: readonly string[]): Promise<void> {
    const named = paths.filter((path) => path !== '')
    for (let at = 0; at < named.length; at += PRUNED_AT_ONCE)
      await Promise.all(named.slice(at, at + PRUNED_AT_ONCE).map((path) => this.#prune(path)))
  }

  async #prune(path: string): Promise<void> {
    const enteredAt = await this.#connection.command('ZSCORE', this.#keys.entered, path)
    if (Number(enteredAt) > Date.now() - this.#ageMs || !(await this.#isEmpty(path))) return
    await this.#connection.command('ZREM', this.#keys.scopes, path)
    await this.#connection.command('ZREM', this.#keys.entered, path)
    if (!(await this.#isEmpty(path))) await this.add([path])
  }

  async #isEmpty(path: string): Promise<boolean> {
    return Number(await this.#connection.command('EXISTS', indexKey(this.#keys.tag(path)))) === 0
  }
}
