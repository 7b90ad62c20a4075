import { encodeBase64 } from '#platform'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countInBulk,
  countLineEnds,
  LINE_BLOCK_BYTES,
  LineIndex,
  LineIndexBuilder,
  LineIndexRecorder,
} from './line-index.ts'

/** Contents with several blocks, generated from a few random values, so that a failure is readable. */
const content = fc
  .record({
    size: fc.oneof(
      fc.nat(200),
      fc.integer({ min: LINE_BLOCK_BYTES - 2, max: LINE_BLOCK_BYTES + 2 }),
      fc.nat(5 * LINE_BLOCK_BYTES),
    ),
    every: fc.constantFrom(1, 2, 3, 80, 1_000, 65_535, 65_536, 65_537, 1_000_000),
    first: fc.nat(100),
    ended: fc.boolean(),
  })
  .map(({ size, every, first, ended }) => {
    const bytes = new Uint8Array(size).fill(97)
    for (let at = first; at < size; at += every) bytes[at] = 10
    if (ended && size > 0) bytes[size - 1] = 10
    return bytes
  })

function indexOf(bytes: Uint8Array, chunkLengths: readonly number[] = [bytes.length]): LineIndex {
  const builder = new LineIndexBuilder()
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = chunkLengths[turn % chunkLengths.length] ?? 1
    builder.add(bytes.subarray(at, at + length))
    at += length
  }
  return builder.finish()
}

function lineStarts(bytes: Uint8Array): number[] {
  const starts = bytes.length === 0 ? [] : [0]
  for (let at = 0; at < bytes.length - 1; at += 1) if (bytes[at] === 10) starts.push(at + 1)
  return starts
}

describe('LineIndex', () => {
  test('has the number of lines, and the block in which each line starts', () => {
    fc.assert(
      fc.property(content, (bytes) => {
        const index = indexOf(bytes)
        const starts = lineStarts(bytes)
        expect(index.lines).toBe(starts.length)
        const wrong = starts.filter((start, position) => {
          const block = index.blockOfLine(position + 1)
          const blockStart = block * LINE_BLOCK_BYTES
          // Reading this block finds the line: it begins in the block or at the start of the next block.
          const isWithin = start >= blockStart && start <= blockStart + LINE_BLOCK_BYTES
          return !isWithin || index.lineEndsBefore(block) > position
        })
        expect(wrong).toEqual([])
        expect(index.lineEndsBefore(index.blocks)).toBe(bytes.filter((byte) => byte === 10).length)
      }),
      { numRuns: 30 },
    )
  })

  test('is the same for any sizes of chunks', () => {
    fc.assert(
      fc.property(
        content,
        fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 }),
        (bytes, cut) => {
          expect(indexOf(bytes, cut).encode()).toBe(indexOf(bytes).encode())
        },
      ),
      { numRuns: 50 },
    )
  })

  test('is restored from its text', () => {
    fc.assert(
      fc.property(content, (bytes) => {
        const index = indexOf(bytes)
        const decoded = LineIndex.decode(index.encode(), bytes.length)
        expect(decoded?.encode()).toBe(index.encode())
        expect(decoded?.lines).toBe(index.lines)
        expect(LineIndex.decode(index.encode(), bytes.length + 1)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  test('is small for a gigabyte, and supports sizes over 32 bits', () => {
    const perBlock = Array.from({ length: 16_384 }, (_, block) => 600 + (block % 100))
    const text = new LineIndex(2 ** 30, perBlock, true).encode()
    expect(text.length).toBeLessThan(50_000)
    expect(LineIndex.decode(text, 2 ** 30)?.lineEndsIn(16_383)).toBe(683)
    const large = 2 ** 33 + 1
    const counts = Array.from({ length: Math.ceil(large / LINE_BLOCK_BYTES) }, () => 1)
    expect(LineIndex.decode(new LineIndex(large, counts, false).encode(), large)?.lines).toBe(counts.length + 1)
  })

  test('is not decoded from a text that was cut or changed, or from another text', () => {
    const bytes = new Uint8Array(3 * LINE_BLOCK_BYTES).fill(97)
    for (let at = 0; at < bytes.length; at += 50) bytes[at] = 10
    const text = indexOf(bytes).encode()
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), (at, instead) => {
        const changed = text.slice(0, at) + instead + text.slice(at + 1)
        const decoded = LineIndex.decode(changed, bytes.length)
        if (decoded !== undefined) expect(decoded.encode()).toBe(text)
        if (at < text.length - 4) expect(LineIndex.decode(text.slice(0, at), bytes.length)).toBeUndefined()
      }),
    )
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), fc.nat(), (other, size) => {
        expect(LineIndex.decode(other, size)).toBeUndefined()
      }),
    )
  })

  test('rejects counts that are impossible for the size of the content', () => {
    const impossible: readonly (readonly [number, readonly number[], boolean])[] = [
      [10, [11], false],
      [10, [1, 1], false],
      [10, [], false],
      [10, [0], true],
      [LINE_BLOCK_BYTES + 1, [LINE_BLOCK_BYTES + 1, 0], false],
      [LINE_BLOCK_BYTES, [2 ** 40], false],
    ]
    for (const [size, counts, ended] of impossible)
      expect(LineIndex.decode(new LineIndex(size, counts, ended).encode(), size)).toBeUndefined()
    expect(LineIndex.decode(encodeBase64(new Uint8Array(1_000_000).fill(255)), 100)).toBeUndefined()
  })

  test('detects a block that belongs to other content', () => {
    const bytes = new TextEncoder().encode('one\ntwo\nthree')
    const index = indexOf(bytes)
    expect(index.fits(0, bytes)).toBe(true)
    expect(index.fits(0, new TextEncoder().encode('one two\nthree'))).toBe(false)
    expect(index.fits(0, new TextEncoder().encode('one\ntwo three\n'))).toBe(false)
  })
})

const MEBIBYTE = 1_048_576

function recorded(chunks: readonly Uint8Array[]): string | undefined {
  const recorder = new LineIndexRecorder()
  for (const chunk of chunks) recorder.add(chunk)
  return recorder.encoded()
}

function cut(bytes: Uint8Array, length: number): Uint8Array[] {
  const count = Math.ceil(bytes.length / length)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * length, (index + 1) * length))
}

test('the index of a text over 1 MiB is the same for any chunks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: MEBIBYTE + 1, max: 2 * MEBIBYTE }),
      fc.integer({ min: 5_000, max: 2 * MEBIBYTE }),
      fc.integer({ min: 1, max: 100_000 }),
      (size, chunkLength, lineLength) => {
        const bytes = new Uint8Array(size).fill(97)
        for (let at = lineLength; at < size; at += lineLength) bytes[at] = 10
        const builder = new LineIndexBuilder()
        builder.add(bytes)
        expect(recorded(cut(bytes, chunkLength))).toBe(builder.finish().encode())
      },
    ),
    { numRuns: 30 },
  )
})

test('small content and binary content are not indexed', () => {
  expect(recorded([])).toBeUndefined()
  expect(recorded([new Uint8Array(MEBIBYTE).fill(10)])).toBeUndefined()
  expect(recorded(cut(new Uint8Array(MEBIBYTE).fill(10), 1_000))).toBeUndefined()
  expect(recorded([new Uint8Array(2 * MEBIBYTE)])).toBeUndefined()
})

test('a zero byte after the first 8 KiB does not make text binary', () => {
  const bytes = new Uint8Array(MEBIBYTE + 1).fill(10)
  bytes[8_192] = 0
  expect(recorded([bytes])).toBeDefined()
  bytes[8_191] = 0
  expect(recorded([bytes])).toBeUndefined()
})

const naiveCount = (bytes: Uint8Array): number => bytes.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0)

describe('countLineEnds', () => {
  test('equals a loop over all bytes, at any memory offset', () => {
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

  test('counts bytes that are all line ends, and bytes without line ends', () => {
    expect(countLineEnds(new Uint8Array(100_001).fill(10))).toBe(100_001)
    expect(countLineEnds(new Uint8Array(100_001).fill(138))).toBe(0)
    expect(countLineEnds(new Uint8Array(0))).toBe(0)
  })
})
