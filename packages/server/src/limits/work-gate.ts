import { HttpError } from '../app/http-error.ts'

/** Limits of requests that run at once, and of requests that wait. */
export interface WorkLimits {
  /** Limit of requests that run at once. */
  readonly maxConcurrent: number
  /** Limit of the waiting requests of one caller. */
  readonly maxQueued: number
  /** Time limit for waiting, in milliseconds. */
  readonly queueTimeoutMs: number
  /** Limit of the estimated memory for bodies and responses. A request that needs more runs alone. */
  readonly maxMemoryBytes: number
}

/** A slot for one running request. */
export interface Ticket {
  /** Reserve more memory. @throws HttpError `overloaded` if it does not fit beside the memory of other requests. */
  grow(bytes: number): void
  /** Free the slot until `waiting` settles, then wait for a slot again. The memory stays reserved. */
  pause<Result>(waiting: Promise<Result>): Promise<Result>
  /** Free the slot. This many bytes stay reserved until {@link Ticket.leave}. */
  finish(bytes: number): void
  /** Free slot and memory. Calling `leave` again has no effect. */
  leave(): void
}

interface Waiting extends PromiseWithResolvers<void> {
  readonly bytes: number
}

interface Caller {
  readonly id: string
  /** Waiting requests, in order. */
  readonly waiting: Waiting[]
  requests: number
  running: number
  bytes: number
}

const RETRY_AFTER = 1
/** Share of the memory that one caller may use, unless it has only one request. */
const MEMORY_SHARE = 0.25

/** Admits requests of callers in turn, and requests of one caller in order. While others wait, shares are limited. */
export class WorkGate {
  readonly #limits: WorkLimits
  readonly #maxOfCaller: number
  /** Callers, in the order of their turns. */
  readonly #callers = new Map<string, Caller>()
  #running = 0
  #bytes = 0
  #isClosed = false

  /** @param maxOfCaller - Limit of the slots of one caller, even if no other caller waits. */
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

  /** Estimated number of bytes in use. */
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

  /** Run a task that needs a slot, but no memory. */
  async run<Result>(id: string, task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const ticket = await this.enter(id, 0, signal)
    try {
      return await task()
    } finally {
      ticket.leave()
    }
  }

  /** Refuse all requests that wait now or arrive later. */
  close(): void {
    this.#isClosed = true
    for (const { waiting } of this.#callers.values()) for (const one of waiting.splice(0)) one.reject(shuttingDown())
  }

  /** Wait for a slot. A resumed request runs before other requests of its caller, and does not time out. */
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
      // The removed request may have blocked later requests of the caller.
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
          // Another wait of the same request may have ended before, and resumed the request.
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
      // The caller takes its next turn after all other callers.
      this.#callers.delete(caller.id)
      this.#callers.set(caller.id, caller)
      this.#running += 1
      caller.running += 1
      this.#hold(caller, bytes)
      resolve()
    }
  }

  /** Return the next caller. A caller at its share is skipped if a caller below its share waits. */
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
    // A resumed request has already reserved its memory.
    return first.bytes === 0 || this.#bytes === 0 || this.#hasMemory(caller, first.bytes, 0)
  }

  /** @param own - Number of bytes that the request has already reserved. */
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
