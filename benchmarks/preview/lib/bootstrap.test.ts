import { expect, it } from 'vitest'
import { bootstrap } from './bootstrap.ts'

it('a bootstrap resamples the values of a group together', () => {
  const values = (group: string, value: number): { group: string; value: number }[] =>
    Array.from({ length: 50 }, () => ({ group, value }))
  expect(bootstrap([...values('one', 0), ...values('two', 1)])).toEqual([0, 1])
  const apart = [...values('one', 0), ...values('two', 1)].map(({ value }, index) => ({ group: `${index}`, value }))
  const [low, high] = bootstrap(apart)
  expect(low).toBeGreaterThan(0.3)
  expect(high).toBeLessThan(0.7)
})

it('a bootstrap resamples the same groups in every run', () => {
  const values = Array.from({ length: 20 }, (_, index) => ({ group: `${index % 7}`, value: index / 20 }))
  expect(bootstrap(values)).toEqual(bootstrap(values))
})
