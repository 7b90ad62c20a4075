/**
 * Run at most one task at a time for each key, in order of arrival.
 *
 * @example
 * ```ts
 * import { KeyedLock } from '@spillway/core/adapter'
 *
 * const lock = new KeyedLock()
 * let total = 0
 * const add = () =>
 *   lock.run('total', async () => {
 *     const before = total
 *     await Promise.resolve()
 *     total = before + 1
 *   })
 * await Promise.all([add(), add()])
 * console.assert(total === 2)
 * ```
 */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>()

  /** Run a task after all earlier tasks of the same key have ended or failed. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key)
    let release: () => void = () => undefined
    const tail = new Promise<void>((resolve) => (release = resolve))
    this.#tails.set(key, tail)
    try {
      await before
      return await task()
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
      release()
    }
  }
}
