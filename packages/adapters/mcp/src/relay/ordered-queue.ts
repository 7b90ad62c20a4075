/**
 * Delivers values in the order in which they were passed. If no earlier value waits, a ready value is delivered at
 * once.
 */
export class OrderedQueue {
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  /** Resolves once all values so far are delivered. `undefined` if all values are already delivered. */
  get settling(): Promise<void> | undefined {
    return this.#waiting === 0 ? undefined : this.#last
  }

  /** Returns the result of `deliver`. */
  push<Value>(value: Value | Promise<Value>, deliver: (value: Value) => unknown): unknown {
    if (this.#waiting === 0 && !(value instanceof Promise)) return deliver(value)
    const previous = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    this.#waiting += 1
    return this.#deliverAfter(previous, value, deliver, resolve)
  }

  async #deliverAfter<Value>(
    previous: Promise<void>,
    value: Value | Promise<Value>,
    deliver: (value: Value) => unknown,
    release: () => void,
  ): Promise<unknown> {
    let delivered: unknown
    try {
      const ready = await value
      await previous
      delivered = deliver(ready)
    } finally {
      await previous
      this.#waiting -= 1
      release()
    }
    return delivered
  }
}
