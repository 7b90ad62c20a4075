import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

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

/** The answer of a worker, and the milliseconds that it took. */
export interface WorkerAnswer {
  readonly answer: unknown
  readonly milliseconds: number
}

/** Workers that run one program, started on demand and ended when idle; they never keep the process alive. */
export interface WorkerPool {
  /**
   * Send `message` to a worker and return its answer. Waiting for a worker, or for one to start, does not count.
   * Rejects with a {@link WorkerTimeout} after `timeoutMs`, or with a {@link WorkerFailure}; either ends the worker.
   */
  run(message: unknown, timeoutMs: number): Promise<WorkerAnswer>
}

interface PooledWorker {
  readonly worker: Worker
  readonly started: Promise<void>
  idleTimer?: NodeJS.Timeout
}

/**
 * Make a pool of workers that run `source`, which must answer each message with one message.
 *
 * @param idleMs - Milliseconds after which a worker without work ends.
 * @param maxMemoryMb - A worker that needs more megabytes is ended, buffers outside the heap included: of these it is
 * known from Node.js 22.16 on.
 */
export function createWorkerPool(
  source: string,
  idleMs: number = IDLE_MS,
  maxMemoryMb: number = MAX_MEMORY_MB,
): WorkerPool {
  const idle: PooledWorker[] = []
  const waiting: (() => void)[] = []
  let alive = 0

  function start(): PooledWorker {
    const worker = startWorker(source, maxMemoryMb)
    alive++
    const started = new Promise<void>((resolve, reject) => {
      worker.once('online', resolve)
      worker.once('error', (cause) => reject(new WorkerFailure(false, { cause })))
    })
    // A failure to start is seen by the run that waits for it; one after that must not surface as uncaught.
    started.catch(() => {})
    worker.on('error', () => {})
    worker.once('exit', () => {
      alive--
      const index = idle.findIndex((pooled) => pooled.worker === worker)
      if (index >= 0) clearTimeout(idle.splice(index, 1)[0]?.idleTimer)
      waiting.shift()?.()
    })
    return { worker, started }
  }

  async function acquire(): Promise<PooledWorker> {
    for (;;) {
      const warm = idle.pop()
      if (warm !== undefined) {
        clearTimeout(warm.idleTimer)
        warm.worker.ref()
        return warm
      }
      if (alive < MAX_WORKERS) return start()
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }

  function release(pooled: PooledWorker): void {
    pooled.worker.unref()
    pooled.idleTimer = setTimeout(() => {
      // Ending takes a moment, in which nobody may be given this worker.
      idle.splice(idle.indexOf(pooled), 1)
      void pooled.worker.terminate()
    }, idleMs)
    pooled.idleTimer.unref()
    idle.push(pooled)
    waiting.shift()?.()
  }

  return {
    async run(message, timeoutMs) {
      const pooled = await acquire()
      try {
        await pooled.started
        const begin = performance.now()
        const answer = await exchange(pooled.worker, message, timeoutMs, maxMemoryMb)
        release(pooled)
        return { answer, milliseconds: performance.now() - begin }
      } catch (error) {
        void pooled.worker.terminate()
        throw error
      }
    },
  }
}

function startWorker(source: string, maxMemoryMb: number): Worker {
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

/** Send one message and wait for the one answer. */
function exchange(worker: Worker, message: unknown, timeoutMs: number, maxMemoryMb: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    function settle(finish: () => void): void {
      clearTimeout(timer)
      clearInterval(memoryTimer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      finish()
    }
    const onMessage = (answer: unknown): void => settle(() => resolve(answer))
    const onError = (cause: unknown): void => settle(() => reject(new WorkerFailure(true, { cause })))
    const onExit = (): void => settle(() => reject(new WorkerFailure(true)))
    const onTimeout = (): void => settle(() => reject(new WorkerTimeout('The worker took too long.')))
    const timer = setTimeout(onTimeout, timeoutMs)
    const memoryTimer = setInterval(() => {
      void memoryOf(worker).then((bytes) => {
        if (bytes > maxMemoryMb * 1_048_576) settle(() => reject(new WorkerFailure(true)))
      })
    }, MEMORY_CHECK_MS)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(message)
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
