import { createWorkerPool, WorkerFailure, WorkerTimeout } from './node-worker-pool.ts'
import { IsolationError, type IsolatedProgram } from '../platform/platform.ts'

/**
 * Run a program in workers, which are ended where they take longer than they are given, or more memory.
 *
 * @param source - The text of the program, so that no bundler, loader or test runner has to find a file. It must answer
 * each message of `parentPort` with one message.
 * @param maxMemoryMb - Megabytes that a worker may hold.
 */
export function isolate(source: string, maxMemoryMb: number): IsolatedProgram | undefined {
  const pool = createWorkerPool(source, { maxMemoryMb })
  return {
    async run(message, deadlineMs) {
      try {
        return await pool.run(message, deadlineMs)
      } catch (cause) {
        if (cause instanceof WorkerTimeout)
          throw new IsolationError('timeout', `It took longer than ${deadlineMs} ms.`, { cause })
        if (!(cause instanceof WorkerFailure)) throw cause
        throw cause.started
          ? new IsolationError('ended', `It failed, or needs more than ${maxMemoryMb} MB of memory.`, { cause })
          : new IsolationError('unavailable', 'No worker can be started here.', { cause })
      }
    },
  }
}
