import type { RedisClient } from './redis-client.ts'

/** How often connecting may fail while a command waits for it, and for how long, in milliseconds, it may go on failing. */
const FAILED_CONNECTS = 2
const FAILING_MS = 500

/**
 * Wait for a client to be connected, so that nothing is queued in it: a command in a queue would be executed later, when
 * whoever sent it has long been told that it failed.
 */
export class ClientGate {
  readonly #client: RedisClient
  #waiting: Promise<void> | undefined

  constructor(client: RedisClient) {
    this.#client = client
  }

  /** Whether commands can be sent at once. */
  get isOpen(): boolean {
    return this.#client.status === 'ready'
  }

  /** Wait until it is open, connecting first where nobody has. Rejects once connecting has failed for a while. */
  async opened(): Promise<void> {
    this.#waiting ??= this.#connected().finally(() => (this.#waiting = undefined))
    return this.#waiting
  }

  async #connected(): Promise<void> {
    const client = this.#client
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let reason = new Error('Connection is closed.')
    let failed = 0
    const since = performance.now()
    const failedAgain = (): void => {
      failed += 1
      if (failed >= FAILED_CONNECTS && performance.now() - since >= FAILING_MS) reject(reason)
    }
    const listeners = {
      ready: () => resolve(),
      end: () => reject(reason),
      close: failedAgain,
      error: (error: Error) => (reason = error),
    }
    for (const [event, listener] of Object.entries(listeners)) client.on(event, listener)
    try {
      if (client.status === 'end') throw reason
      // How it fails is told by the events.
      if (client.status === 'wait') void Promise.allSettled([client.connect()])
      await promise
    } finally {
      for (const [event, listener] of Object.entries(listeners)) client.off(event, listener)
    }
  }
}
