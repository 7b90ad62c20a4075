import { describe, expect, test } from 'vitest'
import { withTax } from './with-tax.ts'

const PERCENT = [5, 7, 10, 19, 20, 25]
const CENTS = Array.from({ length: 400 }, (_, index) => 95 + 10 * index)

describe.each(PERCENT)('a tax of %i %', (percent) => {
  test.each(CENTS)('on a price of %i cents', (cents) => {
    // The calculation in whole cents is exact. Half a cent is rounded up.
    const expected = Math.floor((cents * (100 + percent) + 50) / 100)
    expect(withTax(cents / 100, percent)).toBe(expected / 100)
  })
})
