import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  excess,
  geometric,
  greatest,
  isAtMostOne,
  isConstant,
  isUnbounded,
  power,
  product,
  sum,
  type Polynomial,
} from './polynomial.ts'

const polynomials = fc.array(fc.nat(9), { minLength: 1, maxLength: 4 })

function valueOf(polynomial: Polynomial, n: number): number {
  return polynomial.reduce((value, coefficient, index) => value + coefficient * n ** index, 0)
}

test('polynomials are what their values are', () => {
  fc.assert(
    fc.property(polynomials, polynomials, fc.nat(5), fc.nat(4), (one, other, n, exponent) => {
      const [a, b] = [valueOf(one, n), valueOf(other, n)]
      expect(valueOf(sum(one, other), n)).toBe(a + b)
      expect(valueOf(product(one, other), n)).toBe(a * b)
      expect(valueOf(greatest(one, other), n)).toBeGreaterThanOrEqual(Math.max(a, b))
      expect(valueOf(excess(one, other), n)).toBeGreaterThanOrEqual(a - b)
      expect(valueOf(power(one, exponent), n)).toBe(a ** exponent)
      const terms = Array.from({ length: exponent + 1 }, (_, index) => a ** index)
      expect(valueOf(geometric(one, exponent), n)).toBeGreaterThanOrEqual(terms.reduce((all, term) => all + term, 0))
    }),
  )
})

test('what is too great is unbounded, and soon known to be', () => {
  expect(isUnbounded(power([2], 1_000_000_000))).toBe(true)
  expect(isUnbounded(power([0, 1], 1_000_000_000))).toBe(true)
  expect(isUnbounded(geometric([1, 1], Infinity))).toBe(true)
  expect(power([1], 1_000_000_000)).toEqual([1])
  expect(power([0], 1_000_000_000)).toEqual([0])
  expect(isUnbounded(sum([1], [Infinity]))).toBe(true)
  expect(product([0], [Infinity])).toEqual([0])
})

test('small ones are told apart', () => {
  expect([[0], [1], [1, 0]].every(isAtMostOne)).toBe(true)
  expect([[2], [0, 1], [Infinity]].some(isAtMostOne)).toBe(false)
  expect([[7], [0]].every(isConstant)).toBe(true)
  expect([[7, 1], [Infinity]].some(isConstant)).toBe(false)
})
