import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it, test } from 'vitest'
import { checkedCountTokens, longerThan, TokenSampler, type CountTokens } from './count-tokens.ts'

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

describe('longerThan', () => {
  it('agrees with counting the whole text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000 }), fc.nat(1_500), (text, limit) => {
        expect(longerThan(text, limit, countTokens)).toBe(countTokens(text) > limit)
      }),
    )
  })

  it('does not count a text of exactly the limit as longer', () => {
    const text = 'word '.repeat(1_000)
    expect(longerThan(text, countTokens(text), countTokens)).toBe(false)
    expect(longerThan(text, countTokens(text) - 1, countTokens)).toBe(true)
  })

  it('looks at no more of a huge text than the answer needs', () => {
    let seen = 0
    const counting = (text: string): number => {
      seen += text.length
      return countTokens(text)
    }
    expect(longerThan('some words on a line\n'.repeat(1_000_000), 1_000, counting)).toBe(true)
    expect(seen).toBeLessThan(50_000)
  })

  it('needs no counting without a limit', () => {
    expect(longerThan('a', Infinity, () => expect.unreachable())).toBe(false)
  })
})

const quarter = (text: string): number => Math.ceil(text.length / 4)

const sample = (pieces: readonly string[]): number => {
  const sampler = new TokenSampler(quarter)
  for (const piece of pieces) sampler.push(piece)
  return sampler.tokens()
}

test('gives the same number however the text was split', () => {
  const text = Array.from({ length: 30_000 }, (_, line) => `line ${line}`).join('\n')
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
      const edges = [0, ...cuts.toSorted((a, b) => a - b), text.length]
      const pieces = edges.slice(1).map((edge, index) => text.slice(edges[index], edge))
      expect(sample(pieces)).toBe(sample([text]))
    }),
    { numRuns: 50 },
  )
})

test('counts a short text whole and a long one by its sample', () => {
  expect(sample(['abcdefgh'])).toBe(2)
  expect(sample(['x'.repeat(1_000_000)])).toBe(250_000)
  expect(sample([])).toBe(0)
})
