import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countInBulk, countLineEnds } from './count-line-ends.ts'

const naiveCount = (bytes: Uint8Array): number => bytes.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0)

describe('countLineEnds', () => {
  test('counts what looking at each byte counts, wherever the bytes lie in memory', () => {
    const byte = fc.oneof(fc.constant(10), fc.constantFrom(0, 9, 11, 138, 139, 255), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(
        fc.array(byte, { maxLength: 2_500 }),
        fc.nat(9),
        fc.nat(2_500),
        fc.nat(2_500),
        (values, skip, a, b) => {
          const memory = Uint8Array.from([...Array.from({ length: skip }, () => 10), ...values, 10, 10])
          const bytes = memory.subarray(skip, skip + values.length)
          const [start, end] = [Math.min(a, b, values.length), Math.min(Math.max(a, b), values.length)]
          const count = naiveCount(bytes.subarray(start, end))
          expect(countLineEnds(bytes, start, end)).toBe(count)
          expect(countInBulk(bytes, start, end)).toBe(count)
          expect(countLineEnds(bytes)).toBe(naiveCount(bytes))
        },
      ),
    )
  })

  test('counts where every byte is a line end, and where none is', () => {
    expect(countLineEnds(new Uint8Array(100_001).fill(10))).toBe(100_001)
    expect(countLineEnds(new Uint8Array(100_001).fill(138))).toBe(0)
    expect(countLineEnds(new Uint8Array(0))).toBe(0)
  })
})
