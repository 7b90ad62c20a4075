import fc from 'fast-check'
import { expect, test } from 'vitest'
import { piecesOfRange } from './pieces-of-range.ts'

const natural = fc.integer({ min: 0, max: 200 })

test('the pieces, cut as the span says, are what the range is of the whole, and none is superfluous', () => {
  fc.assert(
    fc.property(
      natural,
      fc.integer({ min: 1, max: 50 }),
      fc.option(fc.record({ offset: natural, length: natural }), { nil: undefined }),
      (size, pieceBytes, range) => {
        const whole = Array.from({ length: size }, (_, index) => index)
        const { first, end, skip, length } = piecesOfRange(size, pieceBytes, range)
        const joined = whole.slice(first * pieceBytes, end * pieceBytes)
        const { offset, length: wanted } = range ?? { offset: 0, length: size }
        expect(joined.slice(skip, skip + length)).toEqual(whole.slice(offset, offset + wanted))
        expect(skip === 0 || skip < pieceBytes).toBe(true)
        if (length === 0) expect(end).toBe(first)
        else expect((end - 1) * pieceBytes).toBeLessThan(first * pieceBytes + skip + length)
      },
    ),
  )
})

test('an endless range ends with the content', () => {
  expect(piecesOfRange(10, 4, { offset: 9, length: Infinity })).toEqual({ first: 2, end: 3, skip: 1, length: 1 })
})
