import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TokenSampler } from './token-sampler.ts'

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
