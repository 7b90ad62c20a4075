/** Runs at most one task at a time for each key, in the order of arrival. A task may have several keys. */
export class KeyedLock<Key = string> {
  readonly #tails = new Map<Key, Promise<void>>()

  /** Run a task after all earlier tasks that have one of its keys. */
  async run<Result>(keys: Key | readonly Key[], task: () => Promise<Result>): Promise<Result> {
    let release: () => void = () => undefined
    const tail = new Promise<void>((resolve) => (release = resolve))
    // All keys are queued at once, so that tasks with several keys cannot deadlock.
    const unique = new Set(Array.isArray(keys) ? (keys as readonly Key[]) : [keys as Key])
    const before = [...unique].map((key) => this.#tails.get(key) ?? Promise.resolve())
    for (const key of unique) this.#tails.set(key, tail)
    try {
      await Promise.all(before)
      return await task()
    } finally {
      for (const key of unique) if (this.#tails.get(key) === tail) this.#tails.delete(key)
      release()
    }
  }
}
