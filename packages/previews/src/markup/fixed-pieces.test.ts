import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FixedPieces } from './fixed-pieces.ts'

it('hands out pieces of one size and what is left, however the text arrives', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40 })), fc.integer({ min: 1, max: 20 }), (parts, size) => {
      const taken: string[] = []
      const pieces = new FixedPieces(size, (piece) => taken.push(piece))
      for (const part of parts) pieces.push(part)
      pieces.finish()
      expect(taken.join('')).toBe(parts.join(''))
      expect(taken.slice(0, -1).every((piece) => piece.length === size)).toBe(true)
      expect((taken.at(-1) ?? '').length).toBeLessThanOrEqual(size)
    }),
  )
})
