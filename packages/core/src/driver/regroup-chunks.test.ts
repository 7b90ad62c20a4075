import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collect } from '../conformance/sample.ts'
import { piecesOfRange, regroupChunks } from './regroup-chunks.ts'

async function* streamOf(chunks: readonly Uint8Array[], ended?: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } finally {
    ended?.()
  }
}

test('regrouped chunks have the requested size and the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 40 })),
      fc.integer({ min: 1, max: 30 }),
      async (chunks, size) => {
        const pieces = await collect(regroupChunks(streamOf(chunks), size))
        for (const piece of pieces.slice(0, -1)) expect(piece.length).toBe(size)
        for (const piece of pieces.slice(-1))
          expect(piece.length).toSatisfy((length: number) => length > 0 && length <= size)
        expect(Buffer.concat(pieces)).toEqual(Buffer.concat(chunks))
      },
    ),
  )
})

test('regrouped chunks do not change when later chunks arrive', async () => {
  const pieces: Uint8Array[] = []
  const copies: Uint8Array[] = []
  const chunks = Array.from({ length: 20 }, (_, index) => new Uint8Array(3).fill(index))
  for await (const piece of regroupChunks(streamOf(chunks), 7)) {
    pieces.push(piece)
    copies.push(piece.slice())
  }
  expect(pieces).toEqual(copies)
})

test('a regrouped chunk within one received chunk is not copied', async () => {
  const chunk = new Uint8Array(8)
  const pieces = await collect(regroupChunks(streamOf([chunk]), 4))
  expect(pieces.map(({ buffer }) => buffer)).toEqual([chunk.buffer, chunk.buffer])
})

test('a last chunk that is smaller than the size is not copied', async () => {
  const chunk = new Uint8Array(3)
  const pieces = await collect(regroupChunks(streamOf([chunk]), 4))
  expect(pieces.map(({ buffer }) => buffer)).toEqual([chunk.buffer])
  expect(pieces[0]?.buffer).toBe(chunk.buffer)
})

test('a chunk that was held back is not changed', async () => {
  const room = new Uint8Array(8).fill(7)
  const pieces = await collect(regroupChunks(streamOf([room.subarray(0, 3), Uint8Array.of(1, 2)]), 5))
  expect(pieces.map((piece) => [...piece])).toEqual([[7, 7, 7, 1, 2]])
  expect([...room]).toEqual([7, 7, 7, 7, 7, 7, 7, 7])
})

test('the source is closed if the consumer stops', async () => {
  let ended = false
  for await (const piece of regroupChunks(
    streamOf([new Uint8Array(9)], () => (ended = true)),
    2,
  )) {
    expect(piece).toHaveLength(2)
    break
  }
  expect(ended).toBe(true)
})

const natural = fc.integer({ min: 0, max: 200 })

test('the chunks of a range contain the range, and there are no other chunks', () => {
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
