import { expect, it } from 'vitest'
import { RowSample } from './row-sample.ts'
import { spreadOrder } from './table-items.ts'

function sampleOf(rows: number, length: number, block: number): RowSample {
  const sample = new RowSample()
  const text = 'x'.repeat(length)
  for (let row = 0; row < rows; row++) {
    sample.add(text, 0, length, row + 1)
    if (row % block === 0) sample.endBlock(text)
  }
  sample.endBlock(text)
  return sample
}

it('a sample of rows has all rows of a small table, in order', () => {
  expect(
    sampleOf(1_000, 20, 7)
      .finish()
      .map(({ index, line }) => [index, line]),
  ).toEqual(Array.from({ length: 1_000 }, (_, index) => [index, index + 1]))
})

it('a sample of rows has the first, the last and some rows between, within a limit', () => {
  const kept = sampleOf(400_000, 50, 1_000).finish()
  expect(kept.slice(0, 16).map(({ index }) => index)).toEqual(Array.from({ length: 16 }, (_, index) => index))
  expect(kept.slice(-16).map(({ index }) => index)).toEqual(Array.from({ length: 16 }, (_, index) => 399_984 + index))
  expect(kept.reduce((units, { text }) => units + text.length, 0)).toBeLessThan(2_000_000)
  expect(kept.length).toBeGreaterThan(10_000)
})

it('a sample of rows is the same for any chunks of the text', () => {
  const of = (block: number): number[] =>
    sampleOf(60_000, 60, block)
      .finish()
      .map(({ index }) => index)
  expect(of(17)).toEqual(of(60_000))
})

it('every start of a spread order is evenly spread, and the order has every index once', () => {
  expect([...spreadOrder(7)]).toEqual([3, 1, 5, 0, 4, 2, 6])
  for (const count of [0, 1, 2, 5, 64, 100])
    expect([...spreadOrder(count)].toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: count }, (_, index) => index),
    )
})
