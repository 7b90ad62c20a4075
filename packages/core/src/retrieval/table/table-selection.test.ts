import { expect, it } from 'vitest'
import { ColumnValues } from './table-selection.ts'

function describeCells(cells: readonly (string | undefined)[], wanted: readonly string[] = []): string {
  const values = new ColumnValues()
  for (const cell of cells) values.add(cell)
  return values.describe('c', wanted)
}

it('lists few values with their counts, and counts empty cells', () => {
  expect(describeCells(['a', 'b', 'a', '', undefined])).toBe(
    '"c" has these values: "a" (2), "b" (1). 2 of its cells are empty.',
  )
  expect(describeCells(['a', ' a'])).toBe('"c" has one value: "a" (2).')
  expect(describeCells(['', undefined])).toBe('"c" has no values: all cells are empty.')
})

it('gives the range of many numbers and dates', () => {
  expect(describeCells(Array.from({ length: 20 }, (_, index) => String(index * 100)))).toContain(
    '"c" has 20 values, from "0" to "1900", most often ',
  )
  expect(describeCells(Array.from({ length: 2_000 }, (_, index) => String(index)))).toBe(
    '"c" has more than 1,000 values, from "0" to "1999".',
  )
  expect(describeCells(Array.from({ length: 2_000 }, (_, day) => new Date(day * 86_400_000).toISOString()))).toContain(
    'from "1970-01-01T00:00:00.000Z" to "1975-06-23T00:00:00.000Z"',
  )
})

it('puts values first that are like the one that was sought', () => {
  const cells = Array.from({ length: 30 }, (_, index) => `value ${index}`)
  expect(describeCells([...cells, ...cells, 'Paid'], ['paid'])).toContain('"c" has 31 values, such as "Paid" (1), ')
})

it('shows a long value by its beginning, on one line', () => {
  expect(describeCells(['x\ny'.repeat(100)])).toBe(
    `"c" has one value: "${'x yx yx yx yx yx yx yx yx yx yx yx yx yx yx'.slice(0, 39)}…" (1).`,
  )
})
