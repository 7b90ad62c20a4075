import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareBudget } from './render-replacement.ts'

test('gives small parts what they need and large ones the rest evenly', () => {
  expect(shareBudget([50, 10_000, 9_000], 1_000)).toEqual([50, 475, 475])
})

test('gives everything to a single part', () => {
  expect(shareBudget([10_000], 1_000)).toEqual([1_000])
})

test('never shares out more than the budget, nor more than a part needs', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { maxLength: 20 }), fc.nat(5_000), (needs, budget) => {
      const shares = shareBudget(needs, budget)
      expect(shares).toHaveLength(needs.length)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(budget)
      for (const [index, share] of shares.entries()) expect(share).toBeLessThanOrEqual(needs[index] ?? 0)
    }),
  )
})

test('uses the whole budget where the parts need it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { minLength: 1, maxLength: 20 }), fc.nat(5_000), (needs, budget) => {
      const total = needs.reduce((sum, need) => sum + need, 0)
      const shared = shareBudget(needs, budget).reduce((sum, share) => sum + share, 0)
      expect(shared).toBe(Math.min(total, budget))
    }),
  )
})
