import { expect, test } from 'vitest'
import { assertKnownOptions, shown } from './known-options.ts'

test('assertKnownOptions accepts known options, and no options', () => {
  expect(() => assertKnownOptions({ a: 1, b: undefined }, ['a', 'b'], 'Bucket')).not.toThrow()
  expect(() => assertKnownOptions({}, [], 'Bucket')).not.toThrow()
})

test.each([null, undefined, 7, 'text', [], () => undefined, new URL('file:///tmp')])(
  'assertKnownOptions refuses %j',
  (options) => {
    expect(() => assertKnownOptions(options, ['a'], 'Bucket')).toThrow(/^Bucket takes an object of options, got /)
  },
)

test('assertKnownOptions names the unknown option and the known ones', () => {
  expect(() => assertKnownOptions({ tllMs: 1 }, ['ttlMs', 'maxBytes'], 'Bucket')).toThrow(
    'Unknown option "tllMs". Known: ttlMs, maxBytes.',
  )
})

test.each([
  ['2500', 'the string "2500"'],
  ['', 'the string ""'],
  ['x'.repeat(1_000), `the string "${'x'.repeat(80)}"`],
  [2_500, '2500'],
  [NaN, 'NaN'],
  [5n, '5'],
  [true, 'true'],
  [null, 'null'],
  [undefined, 'undefined'],
  [[1], 'an array'],
  [{ a: 1 }, 'an object'],
  [() => 1, 'a function'],
  [new URL('file:///tmp'), 'a URL'],
])('shown tells %o apart from values that look like it', (value, expected) => {
  expect(shown(value)).toBe(expected)
})
