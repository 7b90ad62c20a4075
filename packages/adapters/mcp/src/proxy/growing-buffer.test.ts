import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GrowingBuffer } from './growing-buffer.ts'

describe('GrowingBuffer', () => {
  it('is all that was added, in its order, and empty once it is taken', () => {
    const pieces = fc.array(
      fc.nat(200_000).map((size) => Buffer.alloc(size, `é👩${size}`)),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(pieces, pieces, (first, second) => {
        const buffer = new GrowingBuffer()
        for (const part of [first, second]) {
          for (const piece of part) buffer.add(piece)
          const expected = Buffer.concat(part)
          expect(buffer.length).toBe(expected.length)
          expect(buffer.text(10, 20)).toBe(expected.subarray(10, 20).toString('utf8'))
          expect(buffer.take() === expected.toString('utf8')).toBe(true)
          expect(buffer.length).toBe(0)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('copies what it is given', () => {
    const buffer = new GrowingBuffer()
    const bytes = Buffer.from('abc')
    buffer.add(bytes)
    bytes.fill(0)
    expect(buffer.text()).toBe('abc')
    expect(buffer.text(5)).toBe('')
    buffer.clear()
    buffer.clear()
    expect(buffer.text()).toBe('')
  })
})
