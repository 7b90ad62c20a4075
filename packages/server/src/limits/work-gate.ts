import { HttpError } from '../app/http-error.ts'

/** Limits of concurrent work. */
export interface WorkLimits {
  /** Concurrent requests. */
  readonly maxConcurrent: number
  /** Waiting requests of one caller. */
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
  /** Give the slot to others until `waiting` settles, and take a slot again. The memory stays taken. */
  pause<Result>(waiting: Promise<Result>): Promise<Result>
  /** End the work, but hold this many bytes until {@link Ticket.leave}. */
  finish(bytes: number): void
  /** Release everything; repeating this is fine. */
  leave(): void
}

interface Waiting extends PromiseWithResolvers<void> {
  readonly bytes: number
}

interface Caller {
  readonly id: string
  /** In order. */
  readonly waiting: Waiting[]
  requests: number
  running: number
  bytes: number
}

const RETRY_AFTER = 1
/** One caller takes at most this part of the memory, or has one request of any size. */
const MEMORY_SHARE = 0.25

/**
 * Admits a limited number of requests: callers in turn, and each caller's requests in order. While others wait, no
 * caller gets more than its share of the slots.
 */
export class WorkGate {
  readonly #limits: WorkLimits
  readonly #maxOfCaller: number
  /** In the order of their turns. */
  readonly #callers = new Map<string, Caller>()
  #running = 0
  #bytes = 0
  #isClosed = false

  /** @param maxOfCaller - Slots of one caller, even if no other caller waits. */
  constructor(limits: WorkLimits, maxOfCaller: number = limits.maxConcurrent) {
    this.#limits = limits
    this.#maxOfCaller = maxOfCaller
  }

  get running(): number {
    return this.#running
  }

  get queued(): number {
    return [...this.#callers.values()].reduce((sum, { waiting }) => sum + waiting.length, 0)
  }

  /** Estimated bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** Wait for a slot. Rejects with an `HttpError` `overloaded` or `shutting-down`, or with the signal's reason. */
  async enter(id: string, bytes: number, signal?: AbortSignal): Promise<Ticket> {
    signal?.throwIfAborted()
    const caller = this.#callers.get(id) ?? { id, waiting: [], requests: 0, running: 0, bytes: 0 }
    this.#callers.set(id, caller)
    caller.requests += 1
    try {
      await this.#wait(caller, bytes, signal, false)
    } catch (error) {
      this.#forget(caller)
      throw error
    }
    return this.#ticket(caller, bytes, signal)
  }

  /** Run a task that takes a slot and no memory. */
  async run<Result>(id: string, task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const ticket = await this.enter(id, 0, signal)
    try {
      return await task()
    } finally {
      ticket.leave()
    }
  }

  /** Refuse all waiting and new requests. */
  close(): void {
    this.#isClosed = true
    for (const { waiting } of this.#callers.values()) for (const one of waiting.splice(0)) one.reject(shuttingDown())
  }

  /** A resumed request runs before the others of its caller, and does not time out. */
  async #wait(caller: Caller, bytes: number, signal: AbortSignal | undefined, isResumed: boolean): Promise<void> {
    if (this.#isClosed) throw shuttingDown()
    const waiting: Waiting = { bytes, ...Promise.withResolvers<void>() }
    if (isResumed) caller.waiting.unshift(waiting)
    else caller.waiting.push(waiting)
    this.#admit()
    const leaveQueue = (error: unknown): void => {
      const at = caller.waiting.indexOf(waiting)
      if (at < 0) return
      caller.waiting.splice(at, 1)
      waiting.reject(error)
      // The removed request may have blocked the caller's others.
      this.#admit()
    }
    const { maxQueued, queueTimeoutMs } = this.#limits
    if (!isResumed && caller.waiting.length > maxQueued) leaveQueue(overloaded())
    const abort = (): void => leaveQueue(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const timer = isResumed ? undefined : setTimeout(() => leaveQueue(overloaded()), queueTimeoutMs)
    try {
      await waiting.promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #ticket(caller: Caller, bytes: number, signal: AbortSignal | undefined): Ticket {
    let isRunning = true
    let isHere = true
    let held = bytes
    let resuming: Promise<void> | undefined
    const hold = (wanted: number): void => {
      this.#hold(caller, wanted - held)
      held = wanted
    }
    const stop = (): void => {
      if (!isRunning) return
      isRunning = false
      this.#running -= 1
      caller.running -= 1
    }
    const resume = async (): Promise<void> => {
      await this.#wait(caller, 0, signal, true)
      isRunning = true
    }
    return {
      grow: (more) => {
        if (this.#bytes > held && !this.#hasMemory(caller, more, held)) throw overloaded()
        hold(held + more)
      },
      pause: async (waiting) => {
        stop()
        this.#admit()
        try {
          return await waiting
        } finally {
          // Other waits of the request may have ended.
          if (!isRunning) await (resuming ??= resume().finally(() => (resuming = undefined)))
        }
      },
      finish: (left) => {
        stop()
        hold(left)
        this.#admit()
      },
      leave: () => {
        stop()
        hold(0)
        if (isHere) this.#forget(caller)
        isHere = false
        this.#admit()
      },
    }
  }

  #admit(): void {
    for (let caller = this.#next(); caller !== undefined; caller = this.#next()) {
      const { bytes, resolve } = caller.waiting.shift()!
      // The caller's next turn comes after those of all others.
      this.#callers.delete(caller.id)
      this.#callers.set(caller.id, caller)
      this.#running += 1
      caller.running += 1
      this.#hold(caller, bytes)
      resolve()
    }
  }

  /** The caller whose turn it is, unless it has its share and another waits that has not. */
  #next(): Caller | undefined {
    const { maxConcurrent } = this.#limits
    if (this.#running >= maxConcurrent) return undefined
    const callers = [...this.#callers.values()]
    const share = maxConcurrent / callers.filter(({ waiting, running }) => waiting.length + running > 0).length
    const ready = callers.filter((caller) => this.#hasRoom(caller))
    return ready.find(({ running }) => running < share) ?? ready[0]
  }

  #hasRoom(caller: Caller): boolean {
    const [first] = caller.waiting
    if (first === undefined || caller.running >= this.#maxOfCaller) return false
    // A resumed request has its memory.
    return first.bytes === 0 || this.#bytes === 0 || this.#hasMemory(caller, first.bytes, 0)
  }

  /** @param own - Bytes that the request has already. */
  #hasMemory(caller: Caller, bytes: number, own: number): boolean {
    const { maxMemoryBytes } = this.#limits
    const isWithinShare = caller.bytes === own || caller.bytes + bytes <= maxMemoryBytes * MEMORY_SHARE
    return isWithinShare && this.#bytes + bytes <= maxMemoryBytes
  }

  #hold(caller: Caller, bytes: number): void {
    this.#bytes += bytes
    caller.bytes += bytes
  }

  #forget(caller: Caller): void {
    caller.requests -= 1
    if (caller.requests === 0) this.#callers.delete(caller.id)
  }
}

const overloaded = (): HttpError =>
  new HttpError('overloaded', 'The service is overloaded. Try again later.', { retryAfter: RETRY_AFTER })

const shuttingDown = (): HttpError =>
  new HttpError('shutting-down', 'The service is shutting down.', { retryAfter: RETRY_AFTER })
