import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HashCounts } from './text-counts.ts'

describe('HashCounts', () => {
  it('counts the same as a Map', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -600, max: 600 }), { maxLength: 5_000 }), (hashes) => {
        const counts = new HashCounts()
        const map = new Map<number, number>()
        for (const hash of hashes) {
          const count = (map.get(hash) ?? 0) + 1
          map.set(hash, count)
          expect(counts.add(hash)).toBe(count)
        }
        for (let hash = -600; hash <= 600; hash++) expect(counts.get(hash)).toBe(map.get(hash) ?? 0)
      }),
      { numRuns: 30 },
    )
  })

  it('does not count new keys if it is full, and continues to count known keys', () => {
    const counts = new HashCounts()
    for (let hash = 0; hash < 32_768; hash++) expect(counts.add(hash * 2_654_435)).toBe(1)
    expect(counts.add(-1)).toBe(0)
    expect(counts.get(-1)).toBe(0)
    expect(counts.add(0)).toBe(2)
  })
})
