/** Waiting items of several callers. Callers take turns: after an item of a caller, the caller moves to the end. */
export class CallerQueues<Item> {
  readonly #queues = new Map<unknown, Set<Item>>()

  get isEmpty(): boolean {
    return this.#queues.size === 0
  }

  has(caller: unknown): boolean {
    return this.#queues.has(caller)
  }

  callers(): Iterable<unknown> {
    return this.#queues.keys()
  }

  add(caller: unknown, item: Item): void {
    const queue = this.#queues.get(caller) ?? new Set()
    this.#queues.set(caller, queue.add(item))
  }

  remove(caller: unknown, item: Item): void {
    const queue = this.#queues.get(caller)
    queue?.delete(item)
    if (queue?.size === 0) this.#queues.delete(caller)
  }

  take(isReady: (item: Item) => boolean = () => true): Item | undefined {
    for (const [caller, queue] of this.#queues) {
      const [item] = queue
      if (!isReady(item!)) continue
      // The caller moves to the end.
      this.#queues.delete(caller)
      queue.delete(item!)
      if (queue.size > 0) this.#queues.set(caller, queue)
      return item
    }
    return undefined
  }
}
