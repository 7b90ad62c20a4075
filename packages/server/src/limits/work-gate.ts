import { HttpError } from '../app/http-error.ts'

/** How much work may be under way. */
export interface WorkLimits {
  /** Requests that are worked on at once. */
  readonly maxConcurrent: number
  /** Requests that wait for their turn. */
  readonly maxQueued: number
  /** Milliseconds that one waits, at most. */
  readonly queueTimeoutMs: number
  /** Bytes of memory that bodies and answers may take, by estimate. What alone takes more has its turn when it is alone. */
  readonly maxMemoryBytes: number
}

/** A place in the work under way. */
export interface Ticket {
  /** Take more memory. @throws HttpError `overloaded` where there is none left, unless nobody else has any. */
  grow(bytes: number): void
  /** Say that from here on it is no longer worked on, and takes this many bytes until {@link Ticket.leave}. */
  finish(bytes: number): void
  /** Give all of it back. Doing so twice is fine. */
  leave(): void
}

interface Waiting {
  readonly bytes: number
  enter(ticket: Ticket): void
  refuse(error: HttpError): void
}

/** Seconds after which a client that found the queue full tries again. */
const RETRY_AFTER = 1

/** Lets in so many requests at a time, in the order in which they came, and refuses those that would wait too long. */
export class WorkGate {
  readonly #limits: WorkLimits
  readonly #queue: Waiting[] = []
  #running = 0
  #bytes = 0
  #isClosed = false

  constructor(limits: WorkLimits) {
    this.#limits = limits
  }

  /** Requests that are worked on. */
  get running(): number {
    return this.#running
  }

  /** Requests that wait. */
  get queued(): number {
    return this.#queue.length
  }

  /** Bytes that are taken, by estimate. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Wait for a place. Rejects with an `HttpError`: `overloaded` where the queue is full or its time is over,
   * `shutting-down` once closed; and with the reason of the signal.
   */
  async enter(bytes: number, signal?: AbortSignal): Promise<Ticket> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw shuttingDown()
    if (this.#queue.length === 0 && this.#hasRoom(bytes)) return this.#take(bytes)
    if (this.#queue.length >= this.#limits.maxQueued) throw overloaded()
    return await this.#wait(bytes, signal)
  }

  /** Refuse all that wait and all that come. */
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
      // It may have been the one that kept the others waiting.
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
