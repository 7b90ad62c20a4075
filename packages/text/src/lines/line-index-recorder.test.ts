import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineIndexRecorder } from './line-index-recorder.ts'
import { LineIndexBuilder } from './line-index.ts'

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

test('what is recorded of text over 1 MiB is its index, however it came', () => {
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

test('nothing is recorded of content that is read at once anyway, nor of binary content', () => {
  expect(recorded([])).toBeUndefined()
  expect(recorded([new Uint8Array(MEBIBYTE).fill(10)])).toBeUndefined()
  expect(recorded(cut(new Uint8Array(MEBIBYTE).fill(10), 1_000))).toBeUndefined()
  expect(recorded([new Uint8Array(2 * MEBIBYTE)])).toBeUndefined()
})

test('a zero byte behind the first 8 KiB leaves content a text', () => {
  const bytes = new Uint8Array(MEBIBYTE + 1).fill(10)
  bytes[8_192] = 0
  expect(recorded([bytes])).toBeDefined()
  bytes[8_191] = 0
  expect(recorded([bytes])).toBeUndefined()
})
