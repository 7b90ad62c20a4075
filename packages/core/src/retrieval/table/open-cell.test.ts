import { expect, it } from 'vitest'
import { OpenCell } from './open-cell.ts'

it('goes on after a plus sign, which is part of the cell only where nothing follows', () => {
  const cell = new OpenCell('one   +')
  expect([cell.isOpen, cell.text, cell.length]).toEqual([true, 'one   +', 7])
  cell.add('two  +')
  cell.add('three')
  expect([cell.isOpen, cell.text, cell.length]).toEqual([false, 'one\ntwo\nthree', 13])
})

it('keeps the beginning of a cell of very many lines, and its length', () => {
  const cell = new OpenCell('0123456789+')
  for (let line = 0; line < 100_000; line++) cell.add('0123456789+')
  expect(cell.text).toHaveLength(65_536)
  expect(cell.length).toBe(11 * 100_001)
})
