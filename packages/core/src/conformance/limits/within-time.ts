/** The error for work that took too long, or that was stopped with the whole run. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp'
  readonly kind: 'timeout' | 'stopped'

  constructor(kind: GivenUp['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/**
 * Wait for work, and reject after `milliseconds` or when the signal fires. Work that blocks the thread is ended if
 * possible.
 *
 * @param what - Name of the work in messages: `create()`.
 */
export async function withinTime<Result>(
  what: string,
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = (): void => undefined
  const watch = watchThread(milliseconds)
  const limit = new Promise<never>((_, reject) => {
    const end = (): void =>
      reject(new GivenUp('timeout', `${what} has not ended after ${milliseconds} ms${watch.why()}`))
    timer = setTimeout(end, milliseconds)
    stop = () => reject(new GivenUp('stopped', `${what} was stopped: ${String(signal?.reason)}`))
    if (signal?.aborted === true) stop()
    signal?.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([limit, apart(work)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    watch.end()
  }
}

/** Start work in a separate task, so that the caller continues if the work is ended for blocking the thread. */
async function apart<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  await Promise.resolve()
  return await work()
}

/**
 * Indexes in the shared memory: heartbeats of the thread, its limit in milliseconds, and how often the watcher ended
 * its code.
 */
const [BEATS, LIMIT, ENDED] = [0, 1, 2]
const BEAT_MS = 100

/**
 * Code of the watcher's thread. If the heartbeats stop, its debugger ends the watched code: only a debugger can end a
 * loop.
 */
const WATCHER = `
const { workerData } = require('node:worker_threads')
const { Session } = require('node:inspector')
let last = -1
let since = 0
setInterval(() => {
  const [beats, limit] = [Atomics.load(workerData, ${BEATS}), Atomics.load(workerData, ${LIMIT})]
  if (beats !== last || limit === 0) [last, since] = [beats, Date.now()]
  else if (Date.now() - since > limit) {
    since = Date.now()
    Atomics.add(workerData, ${ENDED}, 1)
    const session = new Session()
    session.connectToMainThread()
    session.post('Runtime.terminateExecution', () => session.disconnect())
  }
}, ${BEAT_MS})
`

let shared: Int32Array | undefined

/** Watch the thread until the watcher is ended. Has no effect outside the main thread of Node.js 20.16 and later. */
function watchThread(milliseconds: number) {
  const memory = (shared ??= startWatcher())
  const before = Atomics.load(memory, ENDED)
  Atomics.add(memory, BEATS, 1)
  Atomics.store(memory, LIMIT, Math.min(milliseconds, 2 ** 31 - 1))
  return {
    /** Return the end of a message: the reason why the work has not ended, if it blocked the thread. */
    why: () => (Atomics.load(memory, ENDED) > before ? ', because a loop without await blocks the thread' : ''),
    end: () => void Atomics.store(memory, LIMIT, 0),
  }
}

function startWatcher(): Int32Array {
  const memory = new Int32Array(new SharedArrayBuffer(12))
  const { process } = globalThis as { process?: Partial<typeof globalThis.process> }
  const threads = process?.getBuiltinModule?.('node:worker_threads')
  if (threads === undefined || !threads.isMainThread) return memory
  const watcher = new threads.Worker(WATCHER, { eval: true, workerData: memory, env: {}, execArgv: [] })
  watcher.unref()
  setInterval(() => void Atomics.add(memory, BEATS, 1), BEAT_MS).unref()
  return memory
}
