import { describe, expect, it } from 'vitest'
import { countBetween } from './count-between.ts'

describe('countBetween', () => {
  it('counts both ends in', () => {
    expect(countBetween([1, 5, 9], 5, 9)).toBe(2)
    expect(countBetween([1, 5, 9], 2, 4)).toBe(0)
    expect(countBetween([1, 5, 9], 0, 100)).toBe(3)
    expect(countBetween([], 1, 2)).toBe(0)
  })
})
