import { quantile } from '../report/quantile.ts'
import type { Subject } from './subject.ts'

/** How long to measure. */
export interface Effort {
  /** Batches of each subject, which take turns. */
  readonly batches: number
  /** Milliseconds that a batch takes, at least: below what a processor is given at a time. */
  readonly batchMs: number
}

/** What a tool result takes, in microseconds. */
export interface Times {
  readonly plain: number
  readonly wrapped: number
}

const WARM_UP = 0.2

/**
 * Time two subjects in turn, in short batches, so that whatever else the machine does falls on both.
 *
 * Returns lower quartiles: batches that other processes interrupted are in the upper ones.
 */
export async function compareTimes(plain: Subject, wrapped: Subject, effort: Effort): Promise<Times> {
  const calls = [await callsFor(plain, effort), await callsFor(wrapped, effort)] as const
  const times: [number[], number[]] = [[], []]
  for (let batch = -Math.ceil(effort.batches * WARM_UP); batch < effort.batches; batch += 1) {
    // Who goes first changes each time.
    for (const index of batch % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const time = await timeOf(index === 0 ? plain : wrapped, calls[index])
      if (batch >= 0) times[index].push(time)
    }
  }
  return { plain: quantile(times[0], 0.25), wrapped: quantile(times[1], 0.25) }
}

/** Find out how many calls make a batch, which also warms up. */
async function callsFor(subject: Subject, { batchMs }: Effort): Promise<number> {
  for (let calls = 1; ; calls *= 2) {
    const time = (await timeOf(subject, calls)) * calls * subject.results
    if (time >= batchMs * 1_000) return calls
  }
}

/** Return the microseconds that a tool result takes. */
async function timeOf({ run, results }: Subject, calls: number): Promise<number> {
  const start = performance.now()
  for (let call = 0; call < calls; call += 1) await run()
  return ((performance.now() - start) * 1_000) / (calls * results)
}
