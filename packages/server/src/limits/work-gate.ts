import { HttpError } from '../app/http-error.ts'

/** Limits of concurrent work. */
export interface WorkLimits {
  /** Concurrent requests. */
  readonly maxConcurrent: number
  /** Waiting requests. */
  readonly maxQueued: number
  /** The maximum waiting time in milliseconds. */
  readonly queueTimeoutMs: number
  /** Estimated memory of bodies and responses; a larger request runs alone. */
  readonly maxMemoryBytes: number
}

/** A slot in the current work. */
export interface Ticket {
  /** Take more memory. @throws HttpError `overloaded` if there is none, unless no other request has any. */
  grow(bytes: number): void
  /** End the work, but hold this many bytes until {@link Ticket.leave}. */
  finish(bytes: number): void
  /** Release everything; repeating this is fine. */
  leave(): void
}

interface Waiting {
  readonly bytes: number
  enter(ticket: Ticket): void
  refuse(error: HttpError): void
}

const RETRY_AFTER = 1

/** Admits a limited number of requests in order, and refuses those that would wait too long. */
export class WorkGate {
  readonly #limits: WorkLimits
  readonly #queue: Waiting[] = []
  #running = 0
  #bytes = 0
  #isClosed = false

  constructor(limits: WorkLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  get queued(): number {
    return this.#queue.length
  }

  /** Estimated bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** Wait for a slot. Rejects with an `HttpError` `overloaded` or `shutting-down`, or with the signal's reason. */
  async enter(bytes: number, signal?: AbortSignal): Promise<Ticket> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw shuttingDown()
    if (this.#queue.length === 0 && this.#hasRoom(bytes)) return this.#take(bytes)
    if (this.#queue.length >= this.#limits.maxQueued) throw overloaded()
    return await this.#wait(bytes, signal)
  }

  /** Refuse all waiting and new requests. */
  close(): void {
    this.#isClosed = true
    for (const waiting of this.#queue.splice(0)) waiting.refuse(shuttingDown())
  }

  async #wait(bytes: number, signal: AbortSignal | undefined): Promise<Ticket> {
    const { promise, resolve, reject } = Promise.withResolvers<Ticket>()
    const waiting: Waiting = { bytes, enter: resolve, refuse: reject }
    this.#queue.push(waiting)
    const leaveQueue = (error: unknown): void => {
      const at = this.#queue.indexOf(waiting)
      if (at >= 0) this.#queue.splice(at, 1)
      reject(error)
      // The removed request may have blocked the others.
      this.#admit()
    }
    const abort = (): void => leaveQueue(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const timer = setTimeout(() => leaveQueue(overloaded()), this.#limits.queueTimeoutMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #hasRoom(bytes: number): boolean {
    const { maxConcurrent, maxMemoryBytes } = this.#limits
    if (this.#running >= maxConcurrent) return false
    return this.#bytes + bytes <= maxMemoryBytes || (this.#running === 0 && this.#bytes === 0)
  }

  #take(bytes: number): Ticket {
    this.#running += 1
    this.#bytes += bytes
    let isRunning = true
    let held = bytes
    const finish = (left: number): void => {
      if (isRunning) this.#running -= 1
      isRunning = false
      this.#bytes += left - held
      held = left
      this.#admit()
    }
    const grow = (more: number): void => {
      if (this.#bytes + more > this.#limits.maxMemoryBytes && this.#bytes > held) throw overloaded()
      this.#bytes += more
      held += more
    }
    return { grow, finish, leave: () => finish(0) }
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#hasRoom(next.bytes); next = this.#queue[0]) {
      this.#queue.shift()
      next.enter(this.#take(next.bytes))
    }
  }
}

const overloaded = (): HttpError =>
  new HttpError('overloaded', 'The service has more to do than it may. Try again later.', { retryAfter: RETRY_AFTER })

const shuttingDown = (): HttpError =>
  new HttpError('shutting-down', 'The service is shutting down.', { retryAfter: RETRY_AFTER })
