import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KeptLine } from './kept-line.ts'
import { LinePool } from './line-pool.ts'

const line = (number: number, rank: number, raw = 'x'): KeptLine => ({
  number,
  raw,
  rawEnd: '',
  hidden: 0,
  blanksBefore: 0,
  template: 1,
  red: false,
  severity: 0,
  at: 0,
  errorsBefore: 0,
  warningsBefore: 0,
  rank,
  run: 1,
})

describe('LinePool', () => {
  it('keeps the lines of the highest ranks, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 20_000 }), (ranks) => {
        const pool = new LinePool()
        for (const [index, rank] of ranks.entries()) pool.add(line(index + 1, rank))
        const { lines, floor } = pool
        expect(lines.length).toBeLessThanOrEqual(4_096)
        const numbers = lines.map(({ number }) => number)
        expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
        const above = ranks.filter((rank) => rank > floor).length
        expect(lines.filter(({ rank }) => rank > floor)).toHaveLength(above)
      }),
      { numRuns: 20 },
    )
  })

  it('keeps no more than a size, however long the lines are', () => {
    const pool = new LinePool()
    for (let number = 1; number <= 3_000; number++) pool.add(line(number, 50, 'y'.repeat(2_500)))
    expect(pool.lines.reduce((sum, { raw }) => sum + raw.length, 0)).toBeLessThanOrEqual(524_288)
    expect(pool.lines[0]!.number).toBe(1)
  })
})
