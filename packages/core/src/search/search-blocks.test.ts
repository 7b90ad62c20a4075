import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ContentSource } from '../content/content-source.ts'
import { searchBlocks, unitsToBytes } from './search-blocks.ts'

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

it('the bytes of valid and invalid units are counted in the same way as by a decoder', () => {
  const parts = fc.constantFrom(
    [0x61],
    [0xc3, 0xa9],
    [0xe6, 0x9d, 0xb1],
    [0xf0, 0x9f, 0x9a, 0x9a],
    [0xff],
    [0xf0, 0x9f],
    [0x80],
    [0xed, 0xa0],
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), fc.nat(30), (pieces, units) => {
      const bytes = Uint8Array.from(pieces.flat())
      const text = decode(bytes)
      const isWithin = /[\uD800-\uDBFF]$/.test(text.slice(0, units)) && units < text.length
      const whole = Math.min(text.length, isWithin ? units + 1 : units)
      const end = unitsToBytes(bytes, 0, bytes.length, units)
      expect(decode(bytes.subarray(0, end))).toBe(text.slice(0, whole))
      expect(decode(bytes.subarray(end))).toBe(text.slice(whole))
    }),
    propertyRuns(670, 20_000),
  )
})

it('a long line of content that is in memory is searched without a copy', async () => {
  const content = new Uint8Array(3_500_000).fill(0x61)
  const source = { size: content.length, read: async () => content }
  let parts = 0
  for await (const { bytes, offset, part } of searchBlocks(source as unknown as ContentSource, 0, content.length)) {
    expect(bytes.buffer).toBe(content.buffer)
    expect(bytes.byteOffset).toBe(offset)
    expect(part).toMatchObject({ isFirst: parts === 0, isLast: offset + bytes.length === content.length })
    parts += 1
  }
  expect(parts).toBe(4)
})
