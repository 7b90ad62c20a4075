import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  BlockTable,
  decodeHint,
  decodeTail,
  encodeHint,
  encodeTail,
  markerText,
  MAX_BLOCK_BYTES,
  parseMarker,
  withMarker,
  type CompressionMarker,
} from './block-table.ts'

test('a block table cannot have blocks that are larger than any written block', () => {
  expect(BlockTable.of(2 * MAX_BLOCK_BYTES, MAX_BLOCK_BYTES, [100, 100])?.blocks).toBe(2)
  expect(BlockTable.of(MAX_BLOCK_BYTES + 1, MAX_BLOCK_BYTES + 1, [100])).toBeUndefined()
  expect(BlockTable.of(3e9, 4e9, [100])).toBeUndefined()
})

test('a block table is not read from a hint with larger blocks', () => {
  const hint = encodeHint({ table: BlockTable.of(8_192, 4_096, [100, 100])! })
  expect(decodeHint(hint)?.table.blocks).toBe(2)
  expect(decodeHint(hint.replace('8192.4096', '6000000000.3000000000'))).toBeUndefined()
})

const table = fc
  .record({
    blocks: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 8_188, max: 16_382 })),
    rest: fc.nat(4_095),
  })
  .map(({ blocks, rest }) => {
    const lengths = Array.from({ length: blocks }, (_, block) => 20 + (block % 4_000))
    return BlockTable.of(blocks * 4_096 - rest, 4_096, lengths)!
  })

const lengthsOf = (one: BlockTable | undefined): readonly number[] =>
  Array.from({ length: one?.blocks ?? 0 }, (_, block) => one?.compressedLength(block) ?? 0)

test('a block table is read from the end of content, with any number of blocks', () => {
  fc.assert(
    fc.property(table, fc.constantFrom('gzip' as const, 'zstd' as const), (one, codec) => {
      const tail = encodeTail(codec, one)
      const found = decodeTail(codec, tail, one.compressedBytes + tail.length)
      expect([found?.size, found?.blockBytes]).toEqual([one.size, one.blocks === 1 ? one.size : 4_096])
      expect(lengthsOf(found)).toEqual(lengthsOf(one))
      expect(decodeTail(codec, tail, one.compressedBytes + tail.length + 1)).toBeUndefined()
      expect(decodeTail(codec, tail.subarray(1), one.compressedBytes + tail.length - 1)).toBeUndefined()
    }),
    { numRuns: 30 },
  )
})

test('the tail of zstd content is a skippable frame of RFC 8878, which ends like the seekable format', () => {
  const tail = encodeTail('zstd', BlockTable.of(10_000, 4_096, [100, 90, 80])!)
  const view = new DataView(tail.buffer)
  expect([view.getUint32(0, true), view.getUint32(4, true)]).toEqual([0x184d2a5e, tail.length - 8])
  expect(view.getUint32(tail.length - 4, true)).toBe(0x8f92eab1)
})

test('a block table is read from its text, with the line index beside it', () => {
  fc.assert(
    fc.property(table, fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }), (one, lineIndex) => {
      const hint = decodeHint(encodeHint(lineIndex === undefined ? { table: one } : { table: one, lineIndex }))
      expect([hint?.table.size, hint?.table.blockBytes, hint?.lineIndex]).toEqual([one.size, 4_096, lineIndex])
      expect(lengthsOf(hint?.table)).toEqual(lengthsOf(one))
    }),
    { numRuns: 30 },
  )
})

test('other text or bytes are not a block table', () => {
  fc.assert(
    fc.property(fc.string(), fc.uint8Array({ maxLength: 200 }), (text, bytes) => {
      expect(decodeHint(text)).toBeUndefined()
      expect(decodeHint(`blocks1.${text}`)).toBeUndefined()
      expect(decodeTail('gzip', bytes, 1_000)).toBeUndefined()
      expect(decodeTail('zstd', bytes, 1_000)).toBeUndefined()
    }),
  )
})

const marker: CompressionMarker = { codec: 'gzip', contentType: 'text/plain', blockBytes: MAX_BLOCK_BYTES, size: 3e9 }

test('a block table that was written is read back', () => {
  expect(parseMarker(markerText({ metadata: withMarker({}, marker) })!)).toEqual(marker)
})

test.each([
  { ...marker, blockBytes: MAX_BLOCK_BYTES + 1 },
  { ...marker, blockBytes: 4e9 },
  { ...marker, blockBytes: '4096' },
  { ...marker, blockBytes: 0 },
  { ...marker, size: -1 },
  { ...marker, codec: 'brotli' },
  null,
])('a block table is absent if its text is %j', (value) => {
  expect(parseMarker(JSON.stringify(value))).toBeUndefined()
})
