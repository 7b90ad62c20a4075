import { afterEach, describe, expect, test, vi } from 'vitest'
import { countTurns } from '@spillway-internal/test-inputs'
import { WorkPace, WorkTimeout } from './work-pace.ts'

function* endless(): Generator<undefined, never> {
  for (;;) yield
}

function* steps(count: number): Generator<undefined, number> {
  for (let step = 0; step < count; step++) yield
  return count
}

describe('work', () => {
  afterEach(() => vi.restoreAllMocks())

  test('runs to its result', async () => {
    expect(await new WorkPace(1_000, undefined).run(steps(5))).toBe(5)
  })

  test('yields to the event loop, and ends at its deadline', async () => {
    const work = (): Promise<void> =>
      expect(new WorkPace(40, undefined).run(endless())).rejects.toBeInstanceOf(WorkTimeout)
    expect(await countTurns(work)).toBeGreaterThan(0)
  })

  test('ends at its deadline if the clock stands still', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(5)
    await expect(new WorkPace(40, undefined).run(endless())).rejects.toBeInstanceOf(WorkTimeout)
    expect(await new WorkPace(40, undefined).run(steps(60))).toBe(60)
  })

  test('does not count waiting', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const pace = new WorkPace(10, undefined)
    now += 6
    pace.rest()
    now += 1_000
    pace.resume()
    now += 3
    await pace.turn()
    now += 2
    await expect(pace.turn()).rejects.toBeInstanceOf(WorkTimeout)
  })

  test('ends if the signal aborts', async () => {
    const controller = new AbortController()
    setImmediate(() => controller.abort())
    await expect(new WorkPace(60_000, controller.signal).run(endless())).rejects.toMatchObject({ code: 'aborted' })
  })
})
