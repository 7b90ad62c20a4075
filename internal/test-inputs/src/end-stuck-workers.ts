import { Worker } from 'node:worker_threads'
import { vi } from 'vitest'

/** A message to a pattern worker: a text, and memory in which the worker counts the matched lines. */
interface WorkerQuestion {
  readonly text: string
  readonly shared: Int32Array
}

/** Whether a message is a query, because the process also has other workers, for example of earlier tests. */
const isQuestion = (message: Partial<WorkerQuestion> | null): message is WorkerQuestion => message?.shared !== undefined

/** Returns whether a worker is stuck that has matched this many lines of its text, and now matches `line`. */
type IsStuck = (line: string, matched: number) => boolean

/**
 * Run `work` with fake timers for pattern workers. A worker times out as soon as it is stuck, by default in a line of
 * 1,000 characters. So the result does not depend on the speed of the machine.
 */
export async function endStuckWorkers<Result>(
  work: () => Promise<Result>,
  isStuck: IsStuck = (line) => line.length >= 1_000,
): Promise<Result> {
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true })
  let next: NodeJS.Immediate
  const look = (): void => {
    const question = posted.mock.calls.map(([message]) => message).findLast(isQuestion)
    const matched = question === undefined ? 0 : Atomics.load(question.shared, 0)
    const line = question?.text.split('\n', matched + 1)[matched]
    if (line !== undefined && isStuck(line, matched)) vi.runOnlyPendingTimers()
    next = setImmediate(look)
  }
  next = setImmediate(look)
  try {
    return await work()
  } finally {
    clearImmediate(next)
    vi.useRealTimers()
    posted.mockRestore()
  }
}
