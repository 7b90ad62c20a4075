import { hostilePatterns } from '@spillway-internal/test-inputs'
import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { searchCounting } from '../../test/counting-matcher.ts'
import { generatedPatterns, isQuick, LOOKS, QUANTIFIERS } from '../../test/generated-patterns.ts'
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
} from './match-cost.ts'
import { parseSearchPattern, type SearchPattern } from './search-pattern.ts'

const MOST_STEPS = 60_000

const parts = {
  atoms: ['a', 'b', '1', ' ', '.', '[ab]', '[^a]', '\\w', '\\s', '\\d', '\\W', 'ab', 'B'],
  assertions: ['^', '$', '\\b', '\\B'],
  quantifiers: QUANTIFIERS,
  groups: LOOKS,
}

const patterns = fc
  .tuple(generatedPatterns(parts), fc.constantFrom('', '', '\\1', '\\1*b', '$', 'b', '.*'))
  .map(([pattern, end]) => (end.startsWith('\\1') ? `(${pattern})${end}` : pattern + end))

/** Texts with runs, repeated words, and near matches. */
const texts = fc
  .array(
    fc.tuple(fc.constantFrom('a', 'b', 'ab', 'aab', 'a ', 'ab ', '1', 'a1', ' ', '1,', 'abba', 'B'), fc.nat(120)),
    { minLength: 1, maxLength: 3 },
  )
  .map((runs) =>
    runs
      .map(([word, count]) => word.repeat(count))
      .join('')
      .slice(0, 240),
  )

function boundOf({ cost: { degree, factor } }: SearchPattern, length: number): number {
  return factor * length ** degree + factor
}

function expectWithinBound(pattern: SearchPattern, text: string): void {
  const { steps } = searchCounting(pattern.expression, pattern.flags, text, MOST_STEPS)
  expect(steps, `${pattern.expression} in ${JSON.stringify(text)}`).toBeLessThanOrEqual(boundOf(pattern, text.length))
}

test('the counting matcher of the test finds the same matches as JavaScript', () => {
  fc.assert(
    fc.property(patterns, texts, fc.boolean(), (source, text, ignoreCase) => {
      const flags = ignoreCase && !source.includes('\\1') ? 'is' : 's'
      const short = text.slice(0, 20)
      if (!isQuick(parseSearchPattern(source, { ignoreCase }), short)) return
      const { match, isCut } = searchCounting(source, flags, short, MOST_STEPS)
      if (isCut) return
      const expected = new RegExp(source, flags).exec(short)
      expect(match).toEqual(expected ? [expected.index, expected.index + expected[0].length] : undefined)
    }),
    propertyRuns(500, 15_000),
  )
})

test('no search takes more steps than the bound', () => {
  const runs = propertyRuns(400, 12_000)
  let bounded = 0
  fc.assert(
    fc.property(
      patterns,
      fc.array(texts, { minLength: 2, maxLength: 2 }),
      fc.boolean(),
      (source, lines, ignoreCase) => {
        const pattern = parseSearchPattern(source, { ignoreCase: ignoreCase && !source.includes('\\1') })
        if (pattern.cost.degree === Infinity) return
        bounded++
        for (const line of lines) expectWithinBound(pattern, line)
      },
    ),
    runs,
  )
  expect(bounded).toBeGreaterThan(runs.numRuns / 3)
})

test('text expressions take at most six times the steps of the bound', () => {
  fc.assert(
    fc.property(patterns, texts, (source, line) => {
      const pattern = parseSearchPattern(source, { ignoreCase: false })
      if (pattern.cost.degree === Infinity) return
      const { steps } = searchCounting(pattern.textExpression, 's', line, MOST_STEPS)
      expect(steps).toBeLessThanOrEqual(6 * boundOf(pattern, line.length))
    }),
    propertyRuns(200, 6_000),
  )
})

const EVERYDAY = [
  ['ERROR.*timeout', 2],
  ['^FATAL.*code=E7731$', 1],
  ['status=5\\d\\d', 1],
  ['\\d+ms', 2],
  ['(foo|bar)\\s+\\w+', 1],
  ['"name":\\s*"[^"]*"', 1],
  ['\\b\\w+Exception\\b', 2],
  ['^\\s*at .*\\(.*:\\d+:\\d+\\)', 3],
  ['(GET|POST) /v1/\\S+ 5\\d\\d', 2],
  ['[A-Z][a-z]+(?:Error|Exception)', 1],
  ['(?:\\d{1,3}\\.){3}\\d{1,3}', 1],
  ['ERROR', 1],
  ['ERROR.*', 1],
  ['(?i)error|warn(ing)?|fatal', 1],
  ['\\w+', 1],
  ['^\\s*(def|class) \\w+', 1],
  ['[\\w.]+@[\\w-]+(\\.[\\w-]+)+', 2],
  ['^(\\d+,)*\\d+$', 2],
  ['(?<!\\w)TODO(?!\\w)', 1],
  ['\\[(ERROR|WARN)\\]\\s+(\\S+)\\s+-\\s+.*', 2],
  ['"id"\\s*:\\s*(\\d+)', 1],
  ['<a\\s+href="([^"]+)"', 2],
  ['(?:ab|ac)*d', 2],
] as const

test.each(EVERYDAY)('%s has a bound of degree %i', (source, degree) => {
  expect(parseSearchPattern(source, { ignoreCase: false }).cost.degree).toBe(degree)
  expect(parseSearchPattern(source, { ignoreCase: true }).cost.degree).toBeLessThanOrEqual(4)
})

test.each([
  '(a+)+$',
  '(a*)*b',
  '(a|a)*$',
  '(a|aa)+$',
  '(\\w+\\s?)*$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  '(a|b|ab)*c',
  '([a-z]|\\w)*!',
  '(?:a?)*b',
  '((ab)*)*c',
])('%s has no bound', (source) => {
  expect(parseSearchPattern(source, { ignoreCase: false }).cost.degree).toBe(Infinity)
})

test.each([
  ['(.*a){12}$', 'a'.repeat(40)],
  ['(?:a?){15}a{15}', 'a'.repeat(15)],
  ['(a|a){12}$', `${'a'.repeat(12)}b`],
  ['a*a*a*a*b', 'a'.repeat(60)],
  ['.*.*=.*', 'a'.repeat(200)],
  ['(?=(a+))\\1b', 'a'.repeat(200)],
  ['(a+)\\1+b', 'a'.repeat(60)],
  ['(?<=a+)b', 'a'.repeat(200)],
  ['(\\w+\\s)*end', 'aaa '.repeat(50)],
  ['"[^"]*"', '"'.repeat(200)],
  ['a(b.*)?', 'ab'.repeat(100)],
  ['a(b.*c)?', 'ab'.repeat(100)],
  ['b(?:aa){2,2000}c', 'baaaa'.repeat(40)],
  ['(?i)k+s', 'kK'.repeat(100)],
])('%s stays within its bound', (source, text) => {
  const pattern = parseSearchPattern(source, { ignoreCase: false })
  expect(pattern.cost.degree).toBeLessThan(Infinity)
  expectWithinBound(pattern, text)
})

test('hostile patterns stay within their bounds, or have none', () => {
  let bounded = 0
  for (const source of hostilePatterns(500)) {
    const pattern = parseSearchPattern(source, { ignoreCase: false })
    for (const text of ['a'.repeat(120), `${'ab'.repeat(60)}!`, `${'a '.repeat(60)}b`]) {
      if (boundOf(pattern, text.length) > MOST_STEPS) continue
      bounded++
      expectWithinBound(pattern, text)
    }
  }
  expect(bounded).toBeGreaterThan(200)
})

test('the bound includes letters that the flags treat as equal', () => {
  const degreeOf = (source: string): number => parseSearchPattern(source, { ignoreCase: true }).cost.degree
  expect(degreeOf('(?:a+B)*c')).toBe(3)
  expect(degreeOf('(?:a+A)*c')).toBe(Infinity)
  expect(degreeOf('(?:[k\\u{1F600}]+\\u212a)*c')).toBe(Infinity)
  expect(degreeOf('(?:\\p{L}+\\d)*c')).toBe(Infinity)
})

const polynomials = fc.array(fc.nat(9), { minLength: 1, maxLength: 4 })

function valueOf(polynomial: Polynomial, n: number): number {
  return polynomial.reduce((value, coefficient, index) => value + coefficient * n ** index, 0)
}

test('polynomials have the values of their formulas', () => {
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

test('a bound that is too large counts as unbounded, and is computed quickly', () => {
  expect(isUnbounded(power([2], 1_000_000_000))).toBe(true)
  expect(isUnbounded(power([0, 1], 1_000_000_000))).toBe(true)
  expect(isUnbounded(geometric([1, 1], Infinity))).toBe(true)
  expect(power([1], 1_000_000_000)).toEqual([1])
  expect(power([0], 1_000_000_000)).toEqual([0])
  expect(isUnbounded(sum([1], [Infinity]))).toBe(true)
  expect(product([0], [Infinity])).toEqual([0])
})

test('small bounds are distinguished', () => {
  expect([[0], [1], [1, 0]].every(isAtMostOne)).toBe(true)
  expect([[2], [0, 1], [Infinity]].some(isAtMostOne)).toBe(false)
  expect([[7], [0]].every(isConstant)).toBe(true)
  expect([[7, 1], [Infinity]].some(isConstant)).toBe(false)
})
