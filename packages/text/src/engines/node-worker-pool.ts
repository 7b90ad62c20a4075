import { availableParallelism } from 'node:os'
import { Worker, type MessagePort } from 'node:worker_threads'

/** Limits the threads of hostile patterns in parallel calls; further calls wait. */
const MAX_WORKERS = Math.min(4, Math.max(2, availableParallelism()))
const IDLE_MS = 10_000
/** Enough for about a million UTF-16 units, unless the pattern is pathological. */
const MAX_MEMORY_MB = 256
const MEMORY_CHECK_MS = 100

/** The worker could not be started, or ended during a run, for example because it was out of memory. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure'
  readonly started: boolean

  constructor(started: boolean, options?: ErrorOptions) {
    super(started ? 'The worker ended before it answered.' : 'The worker could not be started.', options)
    this.started = started
  }
}

/** The timeout of {@link WorkerPool.run} has passed. */
export class WorkerTimeout extends Error {
  override readonly name = 'WorkerTimeout'
}

export interface WorkerPoolOptions {
  readonly idleMs?: number
  /** Maximum megabytes of a worker. Buffers outside the heap only count from Node.js 22.16 on. */
  readonly maxMemoryMb?: number
  /** Milliseconds after which a run is long. Excess long runs are aborted and restarted in turn. */
  readonly shortMs?: number
  /** Whether the program sends one message when it is ready, which starts its time. */
  readonly saysReady?: boolean
}

/** Workers that run one program, started on demand and ended if idle. They never keep the process alive. */
export interface WorkerPool {
  /**
   * Send `message` to a worker and return its answer. Waiting time does not count. Rejects with a
   * {@link WorkerTimeout}, a {@link WorkerFailure}, or the reason of `signal`, and ends the worker.
   */
  run(message: unknown, timeoutMs: number, how?: RunOptions): Promise<unknown>
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Identity of the caller: callers are served in turn, however many runs each has. */
  readonly caller?: object | undefined
  /** Ports transferred with the message. Such a run cannot be restarted, so its pool must not have `shortMs`. */
  readonly transfer?: readonly MessagePort[] | undefined
}

interface PooledWorker {
  readonly worker: Worker
  readonly started: Promise<void>
  idleTimer?: NodeJS.Timeout
}

interface Attempt {
  readonly message: unknown
  readonly timeoutMs: number
  readonly maxMemoryMb: number
  readonly signal: AbortSignal | undefined
  readonly transfer: readonly MessagePort[]
  readonly shortMs: number
  readonly goOn: () => boolean
}

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
      // Terminating takes a moment, during which this worker must not be reused.
      leaveIdle(pooled)
      void pooled.worker.terminate()
    }, idleMs)
    pooled.idleTimer.unref()
    idle.push(pooled)
  }

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

/** Worker slots, assigned to callers in turn, and to each caller's runs in order. */
interface Seats {
  readonly takeFree: () => boolean
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
      // The caller moves to the end of the queue.
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
  // A run reports a failed start; a later failure must not be an unhandled rejection.
  started.catch(() => {})
  worker.on('error', () => {})
  return { worker, started }
}

function newWorker(source: string, maxMemoryMb: number): Worker {
  try {
    // The worker needs no loader hooks, environment or streams of the process.
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
    // Node.js with --permission but without --allow-worker.
    throw new WorkerFailure(false, { cause })
  }
}

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
    // After a busy period of this thread, the answer may already be in the queue, and takes precedence.
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

/** Return the bytes of a worker, including its buffers. Returns 0 if unknown. */
async function memoryOf(worker: Worker): Promise<number> {
  try {
    const { used_heap_size: heap, external_memory: buffers } = await worker.getHeapStatistics()
    return heap + buffers
  } catch (error) {
    // Older Node.js lacks the method, and an ended worker has no heap.
    if (error instanceof TypeError || (error as { code?: unknown }).code === 'ERR_WORKER_NOT_RUNNING') return 0
    throw error
  }
}
