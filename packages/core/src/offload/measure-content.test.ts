import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseBlocks, measureContent, shareBudget, type MeasuredBlock } from './measure-content.ts'

const text = (index: number, tokens: number): MeasuredBlock => ({
  block: { type: 'text', text: 'x' },
  index,
  tokens,
  text: 'x',
  isStorable: true,
})

test('chooseBlocks chooses the largest block first, and no blocks that fit together with the replacement', () => {
  const blocks = [text(0, 200), text(1, 9_000), text(2, 300)]
  expect(chooseBlocks(blocks, 2_500, 1_000).map(({ index }) => index)).toEqual([1])
})

test('chooseBlocks chooses more blocks until the other blocks fit together with the replacement', () => {
  const blocks = [text(0, 2_000), text(1, 9_000), text(2, 100)]
  expect(chooseBlocks(blocks, 2_500, 1_000).map(({ index }) => index)).toEqual([0, 1])
})

test('chooseBlocks never chooses blocks that cannot be stored', () => {
  const unknown: MeasuredBlock = { block: { type: 'unknown', value: {} }, index: 0, tokens: 9_000, isStorable: false }
  expect(chooseBlocks([unknown, text(1, 100)], 2_500, 1_000).map(({ index }) => index)).toEqual([1])
})

test('chooseBlocks counts many empty blocks and chooses them', async () => {
  const content = Array.from({ length: 5_000 }, () => ({ type: 'text', text: '' }) as const)
  const blocks = await measureContent(content, 2_500, () => 0)
  expect(chooseBlocks(blocks, 2_500, 1_000).length).toBeGreaterThan(2_500)
})

test('a budget gives small parts the tokens that they need, and divides the remaining tokens evenly among large parts', () => {
  expect(shareBudget([50, 10_000, 9_000], 1_000)).toEqual([50, 475, 475])
})

test('a budget goes to a single part completely', () => {
  expect(shareBudget([10_000], 1_000)).toEqual([1_000])
})

test('a budget is never exceeded, and no part gets more than it needs', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { maxLength: 20 }), fc.nat(5_000), (needs, budget) => {
      const shares = shareBudget(needs, budget)
      expect(shares).toHaveLength(needs.length)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(budget)
      for (const [index, share] of shares.entries()) expect(share).toBeLessThanOrEqual(needs[index] ?? 0)
    }),
  )
})

test('a budget is used completely if the parts need it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { minLength: 1, maxLength: 20 }), fc.nat(5_000), (needs, budget) => {
      const total = needs.reduce((sum, need) => sum + need, 0)
      const shared = shareBudget(needs, budget).reduce((sum, share) => sum + share, 0)
      expect(shared).toBe(Math.min(total, budget))
    }),
  )
})
