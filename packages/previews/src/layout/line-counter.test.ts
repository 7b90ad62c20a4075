import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineCounter } from './line-counter.ts'

test('a line counter gives the same count with any chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('', 'a', '\n', 'b\n', '\n\n', '\r\n')), (pieces) => {
      const counter = new LineCounter()
      for (const piece of pieces) counter.push(piece)
      const lines = pieces.join('').split('\n')
      if (lines.at(-1) === '') lines.pop()
      expect(counter.lines).toBe(lines.length)
    }),
  )
})
