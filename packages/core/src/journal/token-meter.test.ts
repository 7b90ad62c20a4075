import { expect, test } from 'vitest'
import { TokenMeter } from './token-meter.ts'

test('the meter subtracts tokens of previews and retrievals from avoided tokens', () => {
  const meter = new TokenMeter()
  meter.seen()
  meter.offloaded({ original: 10_000, replacement: 1_200 }, ['a'])
  meter.retrieved(500, 'a')
  expect(meter.read()).toEqual({
    results: 1,
    failed: 0,
    offloaded: 1,
    tokensAvoided: 10_000,
    tokensShown: 1_200,
    tokensRetrieved: 500,
    tokensNet: 8_300,
    retrievals: 1,
    bounceRate: 1,
    shadowed: 0,
    tokensShadowed: 0,
  })
})

test('the meter goes below zero if retrievals cost more tokens than offloads avoided', () => {
  const meter = new TokenMeter()
  meter.offloaded({ original: 3_000, replacement: 1_200 }, ['a'])
  meter.retrieved(2_500, 'a')
  expect(meter.read().tokensNet).toBe(-700)
})

test('the meter counts a result as bounced once, even if it is retrieved again or through another block', () => {
  const meter = new TokenMeter()
  meter.offloaded({ original: 9_000, replacement: 1_000 }, ['a_0', 'a_1'])
  meter.offloaded({ original: 9_000, replacement: 1_000 }, ['b_0'])
  for (const reference of ['a_0', 'a_0', 'a_1', 'unknown', undefined]) meter.retrieved(10, reference)
  expect(meter.read()).toMatchObject({ retrievals: 5, bounceRate: 0.5 })
})

test('the meter counts no bounces before the first offload', () => {
  expect(new TokenMeter().read().bounceRate).toBe(0)
})
