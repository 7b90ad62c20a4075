import { expect, it, vi } from 'vitest'
import { FastestWay } from './text-scanner.ts'

/** More than any way takes. */
const PAUSE_MS = 10_000

/** Run 1,000 times with ways of these costs, and count how often each was chosen. */
function taken(costs: Readonly<Record<string, number>>): Record<string, number> {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const ways = new FastestWay(Object.keys(costs))
    const counts: Record<string, number> = {}
    for (let call = 0; call < 1_000; call++) {
      const work = ways.begin()
      now += costs[work.way]! / 2
      work.pause()
      now += PAUSE_MS
      work.resume()
      now += costs[work.way]! / 2
      counts[work.way] = (counts[work.way] ?? 0) + 1
      work.end(100)
    }
    return counts
  } finally {
    vi.restoreAllMocks()
  }
}

it('a text scanner uses the fastest engine without pauses, and now and then tries similarly fast ones', () => {
  const { fast = 0, near = 0, far = 0 } = taken({ near: 2, far: 50, fast: 1 })
  expect(fast).toBeGreaterThan(900)
  expect(near).toBeGreaterThan(5)
  expect(far).toBe(1)
})

it('a text scanner works with a single engine', () => {
  expect(taken({ only: 5 })).toEqual({ only: 1_000 })
})

it('a text scanner keeps the fastest engine after the machine has interrupted one call', () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const ways = new FastestWay(['fast', 'near'])
    const run = (interruption = 0): string => {
      const work = ways.begin()
      now += (work.way === 'fast' ? 1 : 2) + interruption
      work.end(100)
      return work.way
    }
    for (let call = 0; call < 10; call++) run()
    run(PAUSE_MS)
    expect(Array.from({ length: 5 }, () => run())).toEqual(Array(5).fill('fast'))
  } finally {
    vi.restoreAllMocks()
  }
})
