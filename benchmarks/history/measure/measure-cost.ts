import type { Said } from '../cost/conversations.ts'
import { quantile } from '../../report/quantile.ts'
import type { CostWay } from '../cost/cost-ways.ts'

/** Calls for warming up, as a share of the measured calls. */
const WARM_UP = 0.2

/** Measure calls of each way on the same conversation, in turn. Returns medians in milliseconds by way. */
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
