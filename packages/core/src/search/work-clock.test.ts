import { countTurns } from '@spillway-internal/test-inputs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WorkClock, WorkTimeout } from './work-clock.ts'

/** Replace the clocks that measure work: the time, and the CPU time, which older versions of Node.js do not have. */
function stopClock(now: () => number): void {
  vi.spyOn(performance, 'now').mockImplementation(now)
  if (typeof process.threadCpuUsage === 'function')
    vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: now() * 1_000, system: 0 }))
}

function* endless(): Generator<undefined, never> {
  for (;;) yield
}

function* steps(count: number): Generator<undefined, number> {
  for (let step = 0; step < count; step++) yield
  return count
}

describe('WorkClock', () => {
  afterEach(() => vi.restoreAllMocks())

  test('runs steps to their result', async () => {
    expect(await new WorkClock(1_000, undefined).run(steps(5))).toBe(5)
  })

  test('yields to the event loop and stops at its deadline', async () => {
    const work = (): Promise<void> =>
      expect(new WorkClock(40, undefined).run(endless())).rejects.toBeInstanceOf(WorkTimeout)
    expect(await countTurns(work)).toBeGreaterThan(0)
  })

  test('stops at its deadline even if the clock stands still', async () => {
    stopClock(() => 5)
    await expect(new WorkClock(40, undefined).run(endless())).rejects.toBeInstanceOf(WorkTimeout)
    expect(await new WorkClock(40, undefined).run(steps(60))).toBe(60)
  })

  test('does not count time spent waiting', async () => {
    let now = 0
    stopClock(() => now)
    const clock = new WorkClock(10, undefined)
    now += 6
    clock.stop()
    now += 1_000
    clock.start()
    now += 3
    await clock.turn()
    now += 2
    await expect(clock.turn()).rejects.toBeInstanceOf(WorkTimeout)
  })

  test('stops if the signal aborts', async () => {
    const controller = new AbortController()
    setImmediate(() => controller.abort())
    await expect(new WorkClock(60_000, controller.signal).run(endless())).rejects.toMatchObject({ code: 'aborted' })
  })
})
