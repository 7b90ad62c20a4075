/** A bound in terms of a length `n`: its coefficients, all of them 0 or greater, that of `n ** 0` first. */
export type Polynomial = readonly number[]

/** 0. */
export const ZERO: Polynomial = [0]
/** 1. */
export const ONE: Polynomial = [1]
/** Nothing is known. */
export const UNBOUNDED: Polynomial = [Infinity]

/** Bounds of a greater degree are of no use. */
const GREATEST_DEGREE = 16
/** Beyond this, numbers are not exact. */
const GREATEST_COEFFICIENT = Number.MAX_SAFE_INTEGER

/** Add polynomials. */
export function sum(...polynomials: readonly Polynomial[]): Polynomial {
  const length = Math.max(1, ...polynomials.map((one) => one.length))
  const total = Array.from({ length }, (_, power) => polynomials.reduce((all, one) => all + (one[power] ?? 0), 0))
  return bounded(total)
}

/** Multiply two polynomials. */
export function product(one: Polynomial, other: Polynomial): Polynomial {
  if (isZero(one) || isZero(other)) return ZERO
  const all = Array.from({ length: one.length + other.length - 1 }, () => 0)
  for (const [power, coefficient] of one.entries()) {
    for (const [otherPower, otherCoefficient] of other.entries()) {
      if (coefficient !== 0 && otherCoefficient !== 0) all[power + otherPower]! += coefficient * otherCoefficient
    }
  }
  return bounded(all)
}

/** Raise a polynomial to a power. */
export function power(base: Polynomial, exponent: number): Polynomial {
  let result = ONE
  for (let count = 0; count < exponent; count++) {
    const next = product(result, base)
    // 0 and 1 stay what they are; all else ends as unbounded.
    if (isUnbounded(next) || (next.length === result.length && next.every((one, at) => one === result[at]))) return next
    result = next
  }
  return result
}

/** Add the powers of a polynomial from 0 to `last`. */
export function geometric(base: Polynomial, last: number): Polynomial {
  if (isAtMostOne(base)) return [last + 1]
  let total = ONE
  let term = ONE
  for (let exponent = 1; exponent <= last && !isUnbounded(total); exponent++) {
    term = product(term, base)
    total = sum(total, term)
  }
  return total
}

/** Return a polynomial that is at least as great as each of some. */
export function greatest(...polynomials: readonly Polynomial[]): Polynomial {
  const length = Math.max(1, ...polynomials.map((one) => one.length))
  return Array.from({ length }, (_, power) => Math.max(...polynomials.map((one) => one[power] ?? 0)))
}

/** Return by how much a polynomial exceeds another, or more; 0 where it does not. */
export function excess(one: Polynomial, other: Polynomial): Polynomial {
  if (isUnbounded(one)) return UNBOUNDED
  return bounded(one.map((coefficient, power) => Math.max(0, coefficient - (other[power] ?? 0))))
}

/** Return whether a polynomial is at most 1 whatever `n`. */
export function isAtMostOne(polynomial: Polynomial): boolean {
  return polynomial[0]! <= 1 && polynomial.every((coefficient, power) => power === 0 || coefficient === 0)
}

/** Return whether a polynomial is a number whatever `n`. */
export function isConstant(polynomial: Polynomial): boolean {
  return !isUnbounded(polynomial) && polynomial.every((coefficient, power) => power === 0 || coefficient === 0)
}

/** Return whether a polynomial bounds nothing. */
export function isUnbounded(polynomial: Polynomial): boolean {
  return polynomial[0] === Infinity
}

function isZero(polynomial: Polynomial): boolean {
  return polynomial.every((coefficient) => coefficient === 0)
}

function bounded(coefficients: number[]): Polynomial {
  while (coefficients.length > 1 && coefficients.at(-1) === 0) coefficients.pop()
  const isUsable =
    coefficients.length <= GREATEST_DEGREE + 1 && coefficients.every((one) => one <= GREATEST_COEFFICIENT)
  return isUsable ? coefficients : UNBOUNDED
}
