import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { quantile } from '../report/quantile.ts'
import type { Subject } from './subject.ts'

/** Flags of Node.js for {@link allocatedBytes}. They delay garbage collection until much memory is allocated. */
export const MEMORY_FLAGS: readonly string[] = ['--expose-gc', '--min-semi-space-size=512', '--max-semi-space-size=512']

const SAMPLES = 7
const CALLS_BEFORE = 20

/** Measure the bytes that are allocated per tool result, by the growth of the heap without garbage collection. */
export async function allocatedBytes({ run, results }: Subject, total: number): Promise<number> {
  if (globalThis.gc === undefined) throw new Error(`Start the process with ${MEMORY_FLAGS.join(' ')}.`)
  const calls = Math.max(1, Math.round(total / results))
  for (let call = 0; call < CALLS_BEFORE; call += 1) await run()
  const samples: number[] = []
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    globalThis.gc()
    const hasCollected = watchCollections()
    const before = process.memoryUsage().heapUsed
    for (let call = 0; call < calls; call += 1) await run()
    const after = process.memoryUsage().heapUsed
    if (!(await hasCollected())) samples.push((after - before) / (calls * results))
  }
  if (samples.length === 0) throw new Error('Garbage was collected during each sample. Measure fewer results at once.')
  return quantile(samples, 0.5)
}

/** Watch for garbage collections from now on. The observer is notified a little later. */
function watchCollections(): () => Promise<boolean> {
  const start = performance.now()
  const starts: number[] = []
  const observer = new PerformanceObserver((list) => {
    starts.push(...list.getEntries().map(({ startTime }) => startTime))
  })
  observer.observe({ entryTypes: ['gc'] })
  return async () => {
    const end = performance.now()
    await setTimeout(5)
    observer.disconnect()
    return starts.some((time) => time >= start && time <= end)
  }
}
