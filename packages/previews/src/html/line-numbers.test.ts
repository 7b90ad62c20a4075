import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineNumbers } from './line-numbers.ts'

it('tells the line of every offset in order, and how many lines there are', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '\n', 'bc')), fc.array(fc.nat(100)), (parts, offsets) => {
      const text = parts.join('')
      const lines = new LineNumbers(text)
      for (const offset of offsets.filter((at) => at < text.length).toSorted((one, other) => one - other)) {
        expect(lines.at(offset)).toBe(text.slice(0, offset).split('\n').length)
      }
      expect(lines.count()).toBe(text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0))
    }),
  )
})
