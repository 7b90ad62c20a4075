import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { expect, it } from 'vitest'
import { estimateTokens } from '@spillway/text/internal'
import { countAsModel } from './count-as-model.ts'

const LOG = '2026-03-14 12:00:01 INFO request 4821 of user 77 answered in 12 ms\n'.repeat(20)

it('countAsModel equals the estimate for the tokenizer of the estimate', async () => {
  const count = await countAsModel(async (text) => countO200k(text))
  expect(count(LOG)).toBe(estimateTokens(LOG))
  expect(count('')).toBe(0)
})

it('countAsModel scales the estimate by the tokens that the model counts, up or down', async () => {
  const more = await countAsModel(async (text) => countO200k(text) * 1.5)
  expect(more(LOG)).toBe(Math.ceil(estimateTokens(LOG) * 1.5))
  const less = await countAsModel((text) => countO200k(text) * 0.9)
  expect(less(LOG)).toBe(Math.ceil(estimateTokens(LOG) * 0.9))
})

it('countAsModel does not count too few tokens for a model with another tokenizer', async () => {
  const count = await countAsModel(async (text) => countCl100k(text))
  expect(count(LOG)).toBeGreaterThanOrEqual(countCl100k(LOG))
})

it('countAsModel calls the model once, with a short text', async () => {
  const asked: string[] = []
  const count = await countAsModel(async (text) => asked.push(text))
  count(LOG)
  expect(asked).toHaveLength(1)
  expect(asked[0]?.length).toBeLessThan(1_000)
})

it.each<[string, (text: string) => unknown]>([
  ['guesses by characters', (text) => Math.ceil(text.length / 4)],
  ['counts characters', (text) => text.length * 3],
  ['gives the same count for every text', () => 10_000],
  ['says nothing', () => undefined],
  ['says NaN', () => Number.NaN],
  ['throws', () => Promise.reject(new Error('quota'))],
])('countAsModel estimates if the model %s', async (_what, count) => {
  expect(await countAsModel(count as (text: string) => Promise<number>)).toBe(estimateTokens)
})
