import type { Said } from '../cost/conversations.ts'
import { quantile } from '../../report/quantile.ts'
import type { CostWay } from '../cost/cost-ways.ts'

/** Calls that warm up, by how many are measured. */
const WARM_UP = 0.2

/** Measure what calls of each way take over the same conversation, in turn: medians in milliseconds, by the way's name. */
export async function measureCost(
  ways: readonly CostWay[],
  messages: readonly Said[],
  calls: number,
): Promise<ReadonlyMap<string, number>> {
  const started = ways.map(({ name, start }) => ({ name, prepare: start(messages), times: [] as number[] }))
  for (let call = -Math.ceil(calls * WARM_UP); call < calls; call++) {
    for (const { prepare, times } of started) {
      const run = prepare()
      const begin = performance.now()
      await run()
      if (call >= 0) times.push(performance.now() - begin)
    }
  }
  return new Map(started.map(({ name, times }) => [name, quantile(times, 0.5)]))
}
