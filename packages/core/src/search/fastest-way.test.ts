import { expect, it, vi } from 'vitest'
import { FastestWay } from './fastest-way.ts'

/** Run 1,000 times with ways that take so long, and count how often each was taken. */
function taken(costs: Readonly<Record<string, number>>): Record<string, number> {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const ways = new FastestWay(Object.keys(costs))
    const counts: Record<string, number> = {}
    for (let call = 0; call < 1_000; call++) {
      const work = (way: string): void => {
        now += costs[way]!
        counts[way] = (counts[way] ?? 0) + 1
      }
      ways.run(100, work)
    }
    return counts
  } finally {
    vi.restoreAllMocks()
  }
}

it('takes the way that is fastest, and looks at others that are not far behind now and then', () => {
  const { fast = 0, near = 0, far = 0 } = taken({ near: 2, far: 50, fast: 1 })
  expect(fast).toBeGreaterThan(900)
  expect(near).toBeGreaterThan(10)
  expect(far).toBe(1)
})

it('does the work where there is but one way', () => {
  expect(taken({ only: 5 })).toEqual({ only: 1_000 })
})
