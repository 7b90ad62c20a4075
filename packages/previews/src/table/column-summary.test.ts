import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TextCodes } from '@spillway/text/internal'
import { ColumnSummary } from './column-summary.ts'
import { describeColumn } from './table-items.ts'

function summaryOf(cells: readonly string[]): ColumnSummary {
  const summary = new ColumnSummary()
  for (const text of cells) summary.add({ text, codes: new TextCodes().of(text) }, 0, text.length)
  return summary
}

const described = (cells: readonly string[], most = 8): string => describeColumn(summaryOf(cells), most)

it('a column summary has the range of numbers, in the notation of the table', () => {
  expect(
    described(['315.70', '-2', '.5', '1e3', '', '317.46', ...Array.from({ length: 20 }, (_, index) => `${index}`)]),
  ).toBe('-2…1e3, 1 empty')
})

it('a column summary has the range of numbers that are quoted, or have commas for thousands or decimals', () => {
  const range = (cells: readonly string[]): string[] => {
    const found = summaryOf(cells).range
    return [found?.least ?? '', found?.greatest ?? '']
  }
  expect(range(['"9"', '"10"', '"-3.5"'])).toEqual(['-3.5', '10'])
  expect(range(['6,060.00', '812,345.00', '99'])).toEqual(['99', '812,345.00'])
  expect(range(['-49.500,00', '697,14', '12.741,77', '0,5'])).toEqual(['-49.500,00', '12.741,77'])
  expect(range(['1,2,3', '1'])).toEqual(['', ''])
})

it('a column summary has the range of dates in one form', () => {
  const dates = Array.from({ length: 20 }, (_, day) => `2024-05-${String(day + 10)}`)
  expect(described(dates)).toBe('2024-05-10…2024-05-29')
  expect(described([...dates, '2024-05-30T10:00'])).toBe('')
})

it('a column summary counts the values if there are few, the most frequent first', () => {
  expect(described(['rain', 'sun', 'sun', '"a, ""b"""', ''])).toBe('sun ×2, rain ×1, a, "b" ×1, 1 empty')
  expect(described(['a', 'b', 'c', 'c', 'c', 'd'], 2)).toBe('c ×3, a ×1, 2 more values')
})

it('a column summary reports a column that never changes, or is empty', () => {
  expect(described(['x', 'x'])).toBe('always x')
  expect(described(['x', 'x', ''])).toBe('only x, 1 empty')
  expect(described(['', ''])).toBe('all empty')
})

it('a column summary is empty for words that all differ', () => {
  expect(described(Array.from({ length: 40 }, (_, index) => `word ${index}`))).toBe('')
})

it('a column summary does not read words as numbers', () => {
  for (const word of ['0x10', '1_000', '12abc', 'Infinity', 'NaN', '-', '+', '.', '1.2.3', '1e999'])
    expect(summaryOf([word, '1']).range, word).toBeUndefined()
})

it('a column summary equals the summary of a reference implementation for any numbers', () => {
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map(String)
  fc.assert(
    fc.property(fc.array(number, { minLength: 1 }), (cells) => {
      const { range } = summaryOf(cells)
      const values = cells.map(Number)
      expect([Number(range?.least), Number(range?.greatest)]).toEqual([Math.min(...values), Math.max(...values)])
    }),
  )
})

it('a column summary counts each value as often as it occurs', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'ä', 'long value', '1', ''), { maxLength: 200 }), (cells) => {
      const { values = [], empty } = summaryOf(cells)
      for (const { text, count } of values) expect(count).toBe(cells.filter((cell) => cell === text).length)
      expect(empty).toBe(cells.filter((cell) => cell === '').length)
    }),
  )
})
