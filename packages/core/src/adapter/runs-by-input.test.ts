import { expect, it } from 'vitest'
import { RunsByInput } from './runs-by-input.ts'

it('finds the run of an input by the very object', () => {
  const runs = new RunsByInput<{ session: string }>()
  const [input, run] = [{ path: 'a' }, { session: 'a' }]
  runs.start(input, run)
  runs.start(input, run)
  expect(runs.find(input)).toBe(run)
  expect(runs.find({ path: 'a' })).toBeUndefined()
  expect(runs.inputOf(run)).toBe(input)
  expect(runs.inputOf({ session: 'a' })).toBeUndefined()
})

it('finds nothing by an input that several runs have in common, however often they start', () => {
  const runs = new RunsByInput<{ session: string }>()
  const input = {}
  const [a, b] = [{ session: 'a' }, { session: 'b' }]
  for (const run of [a, b, a, a]) runs.start(input, run)
  expect(runs.find(input)).toBeUndefined()
  expect([runs.inputOf(a), runs.inputOf(b)]).toEqual([input, input])
})

it.each([['text'], [7], [null], [undefined]])('finds nothing by %j, which many calls may have', (input) => {
  const runs = new RunsByInput<{ session: string }>()
  const run = { session: 'a' }
  runs.start(input, run)
  expect(runs.find(input)).toBeUndefined()
  expect(runs.inputOf(run)).toBe(input)
})
