import { availableParallelism } from 'node:os'
import { Worker, type MessagePort } from 'node:worker_threads'
import { IsolationError } from '../platform/platform.ts'
import { CallerQueues } from '../shared/caller-queues.ts'

/** Largest number of threads for hostile patterns in parallel calls. When all are busy, further calls wait. */
const MAX_WORKERS = Math.min(4, Math.max(2, availableParallelism()))
const IDLE_MS = 10_000
/** Memory of a worker in megabytes, enough for about a million UTF-16 units, except for pathological patterns. */
const MAX_MEMORY_MB = 256
const MEMORY_CHECK_MS = 100
/** Keeps the loop of a starting worker alive. An empty loop may block its thread forever: nodejs/node#54918. */
const KEEP_ALIVE = 'setInterval(() => {}, 2 ** 30)\n'

export interface WorkerPoolOptions {
  readonly idleMs?: number
  /** Largest memory of a worker, in megabytes. Before Node.js 22.16, buffers outside the heap do not count. */
  readonly maxMemoryMb?: number
  /**
   * Milliseconds after which a run counts as long. Long runs never occupy all workers. If no worker is free for a long
   * run, or if its caller has too many runs, the run is stopped and repeated when its turn comes.
   */
  readonly shortMs?: number
  /** Whether the program sends a message when it is ready. The timeout of a run begins then. */
  readonly saysReady?: boolean
}

/** Workers that run one program. They start on demand, end when idle, and never keep the process alive. */
export interface WorkerPool {
  /**
   * Send `message` to a worker and return its answer. The timeout does not include waiting. Rejects with an
   * {@link IsolationError} or the reason of `signal`, and then ends the worker.
   */
  run(message: unknown, timeoutMs: number, how?: RunOptions): Promise<unknown>
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Identity of the caller. Callers take turns and share the workers equally, for any number of runs. */
  readonly caller?: unknown
  /** Ports to transfer with the message. A run with ports cannot be repeated, so the pool must not have `shortMs`. */
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
  const seats = new Seats(shortMs === Infinity ? MAX_WORKERS : MAX_WORKERS + 1)

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
      // Terminating the worker takes a moment. During this time, the worker must not be reused.
      leaveIdle(pooled)
      void pooled.worker.terminate()
    }, idleMs)
    pooled.idleTimer.unref()
    idle.push(pooled)
  }

  /** Run a message in a worker. Returns `undefined` if the run was stopped and must wait for its next turn. */
  async function attempt(seat: Seat, how: Attempt): Promise<{ readonly answer: unknown } | undefined> {
    let pooled: PooledWorker | undefined
    try {
      pooled = takeWorker()
      await pooled.started
      const outcome = await exchange(pooled.worker, how)
      if (outcome === undefined) await pooled.worker.terminate()
      else keepIdle(pooled)
      return outcome
    } catch (error) {
      await pooled?.worker.terminate()
      throw error
    } finally {
      seats.leave(seat)
    }
  }

  return {
    async run(message, timeoutMs, { signal, caller, transfer = [] } = {}) {
      for (let isLong = false; ; isLong = true) {
        const seat = await seats.take(caller, isLong, signal)
        const goOn = (): boolean => seats.mayGoOn(seat)
        const outcome = await attempt(seat, { message, timeoutMs, maxMemoryMb, signal, transfer, shortMs, goOn })
        if (outcome !== undefined) return outcome.answer
      }
    },
  }
}

interface Seat {
  readonly caller: unknown
  isLong: boolean
}

interface WaitingRun extends Readonly<Seat> {
  readonly enter: (seat: Seat) => void
}

/** The places of workers. Callers take turns. While other callers wait, no caller gets more than its share. */
class Seats {
  readonly #count: number
  readonly #taken = new Set<Seat>()
  readonly #waiting = new CallerQueues<WaitingRun>()

  constructor(count: number) {
    this.#count = count
  }

  async take(caller: unknown, isLong: boolean, signal: AbortSignal | undefined): Promise<Seat> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Seat>()
    const run = { caller, isLong, enter: resolve }
    const abort = (): void => {
      this.#waiting.remove(caller, run)
      reject(signal?.reason)
    }
    this.#waiting.add(caller, run)
    signal?.addEventListener('abort', abort, { once: true })
    this.#serve()
    return await promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  leave(seat: Seat): void {
    this.#taken.delete(seat)
    this.#serve()
  }

  /** Whether a run that has become long may continue. */
  mayGoOn(seat: Seat): boolean {
    const callers = [...this.#waiting.callers()]
    if (callers.length === 0) return true
    if (callers.some((caller) => caller !== seat.caller) && this.#seatsOf(seat.caller) > this.#share()) return false
    seat.isLong ||= this.#hasLongSeat()
    return seat.isLong
  }

  #serve(): void {
    while (this.#taken.size < this.#count) {
      const isReady = ({ isLong }: WaitingRun): boolean => !isLong || this.#hasLongSeat()
      const share = this.#share()
      const run =
        this.#waiting.take((one) => isReady(one) && this.#seatsOf(one.caller) < share) ?? this.#waiting.take(isReady)
      if (run === undefined) return
      const seat = { caller: run.caller, isLong: run.isLong }
      this.#taken.add(seat)
      run.enter(seat)
    }
  }

  /** Whether a worker is free for a long run. The last worker is reserved for short runs. */
  #hasLongSeat(): boolean {
    return [...this.#taken].filter(({ isLong }) => isLong).length < this.#count - 1
  }

  #seatsOf(caller: unknown): number {
    return [...this.#taken].filter((seat) => seat.caller === caller).length
  }

  #share(): number {
    const callers = new Set([...this.#waiting.callers(), ...[...this.#taken].map(({ caller }) => caller)])
    return Math.max(1, Math.floor(this.#count / callers.size))
  }
}

const unavailable = (cause?: unknown): IsolationError =>
  new IsolationError('unavailable', 'This runtime cannot start workers.', { cause })

const ended = (maxMemoryMb: number, cause: unknown): IsolationError =>
  new IsolationError('ended', `It failed, or needs more than ${maxMemoryMb} MB of memory.`, { cause })

function startWorker(source: string, maxMemoryMb: number, startEvent: 'message' | 'online'): PooledWorker {
  const worker = newWorker(source, maxMemoryMb)
  const started = new Promise<void>((resolve, reject) => {
    worker.once(startEvent, () => resolve())
    worker.once('error', (cause) => reject(unavailable(cause)))
    worker.once('exit', () => reject(unavailable()))
  })
  // A run reports a failed start. Without a run, the failure must not become an unhandled rejection.
  started.catch(() => {})
  worker.on('error', () => {})
  return { worker, started }
}

function newWorker(source: string, maxMemoryMb: number): Worker {
  try {
    // The worker does not need the loader hooks, environment and streams of the process.
    return new Worker(KEEP_ALIVE + source, {
      eval: true,
      name: 'spillway',
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 32 },
    })
  } catch (cause) {
    // Node.js runs with --permission, but without --allow-worker.
    throw unavailable(cause)
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
      clearInterval(shortTimer)
      clearInterval(memoryTimer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal?.removeEventListener('abort', onAbort)
      finish()
    }
    const onMessage = (answer: unknown): void => settle(() => resolve({ answer }))
    const onError = (cause?: unknown): void => settle(() => reject(ended(maxMemoryMb, cause)))
    const onExit = (): void => onError()
    const onAbort = (): void => settle(() => reject(signal?.reason))
    // If this thread was busy, the answer may already be in the queue. Such an answer has priority over the timeout.
    const timer = setTimeout(() => {
      setImmediate(() => settle(() => reject(new IsolationError('timeout', `It took longer than ${timeoutMs} ms.`))))
    }, timeoutMs)
    const onShort = (): void => {
      if (!settled && !goOn()) settle(() => resolve(undefined))
    }
    const shortTimer = shortMs < timeoutMs ? setInterval(() => setImmediate(onShort), shortMs) : undefined
    const memoryTimer = setInterval(() => {
      void memoryOf(worker).then((bytes) => {
        if (bytes > maxMemoryMb * 1_048_576) onError()
      })
    }, MEMORY_CHECK_MS)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal?.addEventListener('abort', onAbort, { once: true })
    worker.postMessage(message, [...transfer])
  })
}

async function memoryOf(worker: Worker): Promise<number> {
  try {
    const { used_heap_size: heap, external_memory: buffers } = await worker.getHeapStatistics()
    return heap + buffers
  } catch (error) {
    // Older versions of Node.js have no such method, and an ended worker has no heap.
    if (error instanceof TypeError || (error as { code?: unknown }).code === 'ERR_WORKER_NOT_RUNNING') return 0
    throw error
  }
}
