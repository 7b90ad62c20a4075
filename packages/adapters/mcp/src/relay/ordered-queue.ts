/**
 * Hands values on in the order in which they were pushed, also where some take their time to get ready.
 *
 * What is ready while nothing waits is handed on at once.
 */
export class OrderedQueue {
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  /** Resolves once all that was pushed so far has been handed on; `undefined` where it has. */
  get settling(): Promise<void> | undefined {
    return this.#waiting === 0 ? undefined : this.#last
  }

  /** Hand `value` to `deliver` once all that was pushed before has been handed on; return what `deliver` does. */
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
