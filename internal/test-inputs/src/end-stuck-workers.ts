import { Worker } from 'node:worker_threads'
import { vi } from 'vitest'

/** A message to a pattern worker. */
interface WorkerQuestion {
  readonly pattern: string
  readonly text: string
}

/** Whether a message is a query, because the process also has other workers, for example of earlier tests. */
const isQuestion = (message: Partial<WorkerQuestion> | null): message is WorkerQuestion =>
  message?.pattern !== undefined

/**
 * Run `work` with fake timers for pattern workers. A worker times out as soon as its text has a line of at least 1,000
 * characters. So the result does not depend on the speed of the machine.
 */
export async function endStuckWorkers<Result>(work: () => Promise<Result>): Promise<Result> {
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true })
  let next: NodeJS.Immediate
  const look = (): void => {
    const question = posted.mock.calls.map(([message]) => message).findLast(isQuestion)
    if (question !== undefined && /.{1000}/.test(question.text)) vi.runOnlyPendingTimers()
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
