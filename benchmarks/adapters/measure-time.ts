import { quantile } from '../report/quantile.ts'
import type { Subject } from './subject.ts'

/** Duration of a measurement. */
export interface Effort {
  /** Number of batches of each subject. The subjects alternate. */
  readonly batches: number
  /** Minimum duration of a batch in milliseconds. It is shorter than a time slice of the scheduler. */
  readonly batchMs: number
}

/** Times per tool result, in microseconds. */
export interface Times {
  readonly plain: number
  readonly wrapped: number
}

const WARM_UP = 0.2

/**
 * Measure two subjects alternately, in short batches, so that other work on the machine affects both.
 *
 * Returns lower quartiles, because batches that other processes interrupted take longer.
 */
export async function compareTimes(plain: Subject, wrapped: Subject, effort: Effort): Promise<Times> {
  const calls = [await callsFor(plain, effort), await callsFor(wrapped, effort)] as const
  const times: [number[], number[]] = [[], []]
  for (let batch = -Math.ceil(effort.batches * WARM_UP); batch < effort.batches; batch += 1) {
    // The order of the subjects changes in each batch.
    for (const index of batch % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const time = await timeOf(index === 0 ? plain : wrapped, calls[index])
      if (batch >= 0) times[index].push(time)
    }
  }
  return { plain: quantile(times[0], 0.25), wrapped: quantile(times[1], 0.25) }
}

/** Return the number of calls in a batch. This also warms up the code. */
async function callsFor(subject: Subject, { batchMs }: Effort): Promise<number> {
  for (let calls = 1; ; calls *= 2) {
    const time = (await timeOf(subject, calls)) * calls * subject.results
    if (time >= batchMs * 1_000) return calls
  }
}

/** Return the microseconds per tool result. */
async function timeOf({ run, results }: Subject, calls: number): Promise<number> {
  const start = performance.now()
  for (let call = 0; call < calls; call += 1) await run()
  return ((performance.now() - start) * 1_000) / (calls * results)
}
