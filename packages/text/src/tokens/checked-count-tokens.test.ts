import { expect, test } from 'vitest'
import { checkedCountTokens } from './checked-count-tokens.ts'
import type { CountTokens } from './count-tokens.ts'

test('passes on what is a number of tokens', () => {
  expect(checkedCountTokens((text) => text.length / 4)('abcde')).toBe(1.25)
  expect(checkedCountTokens(() => 0)('')).toBe(0)
})

test.each([
  [Number.NaN, 'NaN'],
  [-1, '-1'],
  [Infinity, 'Infinity'],
  ['5', 'string'],
  [undefined, 'undefined'],
  [Promise.resolve(5), 'a promise'],
])('refuses %s', (value, shown) => {
  const count = checkedCountTokens((() => value) as never as CountTokens)
  expect(() => count('text')).toThrow(
    new TypeError(`countTokens must return a number of tokens, 0 or more, got ${shown}.`),
  )
})

test('checks once, however often it is asked to', () => {
  const count = checkedCountTokens(() => 1)
  expect(checkedCountTokens(count)).toBe(count)
})
