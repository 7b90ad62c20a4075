import { availableParallelism } from 'node:os'
import { Worker, type MessagePort } from 'node:worker_threads'

/** Hostile patterns in parallel calls take at most this many threads; further calls wait for their turn. */
const MAX_WORKERS = Math.min(4, Math.max(2, availableParallelism()))

/** A warm worker without work ends after this time. */
const IDLE_MS = 10_000

/** A text of around a million UTF-16 units needs less, unless the pattern is pathological. */
const MAX_MEMORY_MB = 256
/** How often it is looked at whether a worker has more memory than it may. */
const MEMORY_CHECK_MS = 100

/** The worker could not be started, or ended while it had work, such as by running out of memory. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure'
  readonly started: boolean

  constructor(started: boolean, options?: ErrorOptions) {
    super(started ? 'The worker ended before it answered.' : 'The worker could not be started.', options)
    this.started = started
  }
}

/** The time given to {@link WorkerPool.run} has passed. */
export class WorkerTimeout extends Error {
  override readonly name = 'WorkerTimeout'
}

/** How a pool runs its workers. */
export interface WorkerPoolOptions {
  /** Milliseconds after which a worker without work ends. */
  readonly idleMs?: number
  /**
   * A worker that needs more megabytes is ended, buffers outside the heap included: of these it is known from Node.js
   * 22.16 on.
   */
  readonly maxMemoryMb?: number
  /**
   * Milliseconds after which a run counts as long. One worker more than long runs may have is kept for the others: where
   * there are too many long ones, a run is ended after this time and begun again when its turn comes. Without it, all
   * runs are alike.
   */
  readonly shortMs?: number
  /** Whether the program sends one message first, once it can take messages: its time begins then. */
  readonly saysReady?: boolean
}

/** Workers that run one program, started on demand and ended when idle; they never keep the process alive. */
export interface WorkerPool {
  /**
   * Send `message` to a worker and return its answer. Waiting for a worker, or for one to start, does not count.
   * Rejects with a {@link WorkerTimeout} after `timeoutMs`, with a {@link WorkerFailure}, or with the reason of `signal`;
   * each of them ends the worker.
   */
  run(message: unknown, timeoutMs: number, how?: RunOptions): Promise<unknown>
}

/** How one run waits and ends. */
export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Who runs it: callers that wait are served in turn, however many runs each of them has. */
  readonly caller?: object | undefined
  /** Handed over with the message, so such a run must not be begun again: its pool has no `shortMs`. */
  readonly transfer?: readonly MessagePort[] | undefined
}

interface PooledWorker {
  readonly worker: Worker
  readonly started: Promise<void>
  idleTimer?: NodeJS.Timeout
}

/** What one attempt of a run may take. */
interface Attempt {
  readonly message: unknown
  readonly timeoutMs: number
  readonly maxMemoryMb: number
  readonly signal: AbortSignal | undefined
  readonly transfer: readonly MessagePort[]
  /** After this many milliseconds, `goOn` says whether it may. */
  readonly shortMs: number
  readonly goOn: () => boolean
}

/** Make a pool of workers that run `source`, which must answer each message with one message. */
export function createWorkerPool(source: string, options: WorkerPoolOptions = {}): WorkerPool {
  const { idleMs = IDLE_MS, maxMemoryMb = MAX_MEMORY_MB, shortMs = Infinity, saysReady = false } = options
  const idle: PooledWorker[] = []
  const seats = createSeats(shortMs === Infinity ? MAX_WORKERS : MAX_WORKERS + 1)
  const longSeats = createSeats(MAX_WORKERS)

  function takeWorker(): PooledWorker {
    const warm = idle.pop()
    if (warm !== undefined) {
      clearTimeout(warm.idleTimer)
      warm.worker.ref()
      return warm
    }
    const pooled = startWorker(source, maxMemoryMb, saysReady ? 'message' : 'online')
    pooled.worker.once('exit', () => leaveIdle(pooled))
    return pooled
  }

  function leaveIdle(pooled: PooledWorker): void {
    clearTimeout(pooled.idleTimer)
    const index = idle.indexOf(pooled)
    if (index >= 0) idle.splice(index, 1)
  }

  function keepIdle(pooled: PooledWorker): void {
    pooled.worker.unref()
    pooled.idleTimer = setTimeout(() => {
      // Ending takes a moment, in which nobody may be given this worker.
      leaveIdle(pooled)
      void pooled.worker.terminate()
    }, idleMs)
    pooled.idleTimer.unref()
    idle.push(pooled)
  }

  /** Run with a seat taken, which is free again once the worker is idle or has ended. */
  async function attempt(how: Attempt): Promise<{ readonly answer: unknown } | undefined> {
    let pooled: PooledWorker
    try {
      pooled = takeWorker()
    } catch (error) {
      seats.free()
      throw error
    }
    try {
      await pooled.started
      const outcome = await exchange(pooled.worker, how)
      if (outcome === undefined) void pooled.worker.terminate().then(seats.free)
      else {
        keepIdle(pooled)
        seats.free()
      }
      return outcome
    } catch (error) {
      void pooled.worker.terminate().then(seats.free)
      throw error
    }
  }

  return {
    async run(message, timeoutMs, { signal, caller, transfer = [] } = {}) {
      const common = { message, timeoutMs, maxMemoryMb, signal, transfer }
      let long = false
      const becomeLong = (): boolean => (long = longSeats.takeFree())
      try {
        await seats.take(signal, caller)
        const first = await attempt({ ...common, shortMs, goOn: becomeLong })
        if (first !== undefined) return first.answer
        await longSeats.take(signal, caller)
        long = true
        await seats.take(signal, caller)
        const second = await attempt({ ...common, shortMs: Infinity, goOn: () => true })
        return second?.answer
      } finally {
        if (long) longSeats.free()
      }
    },
  }
}

/** A number of places, given to the callers in turn, and to each in the order in which it asks. */
interface Seats {
  /** Take a place if one is free. */
  readonly takeFree: () => boolean
  /** Take a place as soon as it is one's turn. Rejects with the reason of `signal`. */
  readonly take: (signal: AbortSignal | undefined, caller: object | undefined) => Promise<void>
  readonly free: () => void
}

function createSeats(count: number): Seats {
  const waiting = new Map<object | undefined, Set<() => void>>()
  let left = count
  const takeFree = (): boolean => {
    if (left === 0) return false
    left--
    return true
  }
  return {
    takeFree,
    async take(signal, caller) {
      signal?.throwIfAborted()
      if (takeFree()) return
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const queue = waiting.get(caller) ?? new Set()
      const leave = (): void => {
        queue.delete(resolve)
        if (queue.size === 0) waiting.delete(caller)
      }
      const abort = (): void => {
        leave()
        reject(signal?.reason)
      }
      waiting.set(caller, queue.add(resolve))
      signal?.addEventListener('abort', abort, { once: true })
      await promise.finally(() => signal?.removeEventListener('abort', abort))
    },
    free() {
      const [first] = waiting
      if (first === undefined) {
        left++
        return
      }
      const [caller, queue] = first
      const [next] = queue
      queue.delete(next!)
      // The caller goes to the end of the line.
      waiting.delete(caller)
      if (queue.size > 0) waiting.set(caller, queue)
      next!()
    },
  }
}

function startWorker(source: string, maxMemoryMb: number, startEvent: 'message' | 'online'): PooledWorker {
  const worker = newWorker(source, maxMemoryMb)
  const started = new Promise<void>((resolve, reject) => {
    worker.once(startEvent, () => resolve())
    worker.once('error', (cause) => reject(new WorkerFailure(false, { cause })))
    worker.once('exit', () => reject(new WorkerFailure(false)))
  })
  // A failure to start is seen by the run that waits for it; one after that must not surface as uncaught.
  started.catch(() => {})
  worker.on('error', () => {})
  return { worker, started }
}

function newWorker(source: string, maxMemoryMb: number): Worker {
  try {
    // The worker needs nothing of the process: no loader hooks, no environment, no streams.
    return new Worker(source, {
      eval: true,
      name: 'spillway',
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 32 },
    })
  } catch (cause) {
    // Node.js with --permission and without --allow-worker.
    throw new WorkerFailure(false, { cause })
  }
}

/** Send one message and wait for the one answer; `undefined` where it may not go on. */
function exchange(worker: Worker, how: Attempt): Promise<{ readonly answer: unknown } | undefined> {
  const { message, timeoutMs, maxMemoryMb, signal, transfer, shortMs, goOn } = how
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    let settled = false
    function settle(finish: () => void): void {
      settled = true
      clearTimeout(timer)
      clearTimeout(shortTimer)
      clearInterval(memoryTimer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal?.removeEventListener('abort', onAbort)
      finish()
    }
    const onMessage = (answer: unknown): void => settle(() => resolve({ answer }))
    const onError = (cause: unknown): void => settle(() => reject(new WorkerFailure(true, { cause })))
    const onExit = (): void => settle(() => reject(new WorkerFailure(true)))
    const onAbort = (): void => settle(() => reject(signal?.reason))
    // Where this thread was busy for long, the answer may be there already: it is taken first.
    const timer = setTimeout(() => {
      setImmediate(() => settle(() => reject(new WorkerTimeout('The worker took too long.'))))
    }, timeoutMs)
    const onShort = (): void => {
      if (!settled && !goOn()) settle(() => resolve(undefined))
    }
    const shortTimer = shortMs < timeoutMs ? setTimeout(() => setImmediate(onShort), shortMs) : undefined
    const memoryTimer = setInterval(() => {
      void memoryOf(worker).then((bytes) => {
        if (bytes > maxMemoryMb * 1_048_576) settle(() => reject(new WorkerFailure(true)))
      })
    }, MEMORY_CHECK_MS)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal?.addEventListener('abort', onAbort, { once: true })
    worker.postMessage(message, [...transfer])
  })
}

/** Bytes that a worker holds, its buffers included; 0 where that is not known. */
async function memoryOf(worker: Worker): Promise<number> {
  try {
    const { used_heap_size: heap, external_memory: buffers } = await worker.getHeapStatistics()
    return heap + buffers
  } catch (error) {
    // Older Node.js has no such method, and a worker that has ended has no heap.
    if (error instanceof TypeError || (error as { code?: unknown }).code === 'ERR_WORKER_NOT_RUNNING') return 0
    throw error
  }
}
