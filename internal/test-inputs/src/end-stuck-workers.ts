import { Worker } from 'node:worker_threads'
import { vi } from 'vitest'

/** What the worker of a pattern is asked: a text, and memory in which it tells how many lines it has matched. */
interface WorkerQuestion {
  readonly text: string
  readonly shared: Int32Array
}

/** Whether a worker is stuck that has matched so many lines of its text, and now matches `line`. */
type IsStuck = (line: string, matched: number) => boolean

/**
 * Does `work` while time stands still for pattern workers, and lets the time of a worker run out as soon as the worker is
 * stuck: by default, in a line of 1,000 characters. So progress does not depend on how fast and how busy the machine is.
 */
export async function endStuckWorkers<Result>(
  work: () => Promise<Result>,
  isStuck: IsStuck = (line) => line.length >= 1_000,
): Promise<Result> {
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true })
  let next: NodeJS.Immediate
  const look = (): void => {
    const question = posted.mock.lastCall?.[0] as WorkerQuestion | undefined
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
