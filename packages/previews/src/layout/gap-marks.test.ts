import { describe, expect, it, test } from 'vitest'
import { countBetween, hiddenOf } from './gap-marks.ts'

describe('countBetween', () => {
  it('includes both ends of the range', () => {
    expect(countBetween([1, 5, 9], 5, 9)).toBe(2)
    expect(countBetween([1, 5, 9], 2, 4)).toBe(0)
    expect(countBetween([1, 5, 9], 0, 100)).toBe(3)
    expect(countBetween([], 1, 2)).toBe(0)
  })
})

test('a gap mark counts the parts that start in the gap, if any', () => {
  expect(hiddenOf([3, 7, 9], 'heading', 3, 8)).toEqual(['2 headings'])
  expect(hiddenOf([3, 7, 9], 'heading', 9, 9)).toEqual(['1 heading'])
  expect(hiddenOf([3, 7, 9], 'heading', 4, 6)).toEqual([])
})
