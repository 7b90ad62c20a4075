import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TextPiece } from '@spillway/text/internal/query'
import type { ContentSource } from '../content/content-source.ts'
import { searchBlocks, textPieces, unitsToBytes } from './search-blocks.ts'

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

describe('textPieces', () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

  async function piecesOf(content: Uint8Array, blockBytes: number): Promise<TextPiece[]> {
    async function* blocks(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < content.length; at += blockBytes) yield content.slice(at, at + blockBytes)
    }
    // Content of this size is read in blocks.
    const source = { size: Infinity, blocks }
    const pieces: TextPiece[] = []
    for await (const piece of textPieces(source as unknown as ContentSource)) pieces.push(piece)
    return pieces
  }

  /** Text with lines of any length, from empty lines to several pieces. */
  const text = fc
    .array(
      fc.tuple(
        fc.oneof(
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
          fc.constantFrom('ab ', 'é', '支払い', '🙂'),
        ),
        fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 5_000, max: 30_000 })),
        fc.constantFrom('\n', '\r\n', ''),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.map(([piece, times, end]) => piece.repeat(times) + end).join(''))

  it('are the whole text in order, as whole lines or parts of one line, each unit with its byte', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1_000, max: 200_000 }), async (content, blockBytes) => {
        const bytes = encode(content)
        const pieces = await piecesOf(bytes, blockBytes)
        const joined = pieces.map((piece) => (piece.endsLine ? `${piece.text}\n` : piece.text)).join('')
        const lines = content.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
        expect(joined.replace(/\n$/, '')).toBe(lines.toWellFormed().replace(/\n$/, ''))
        for (const [index, { text: shown, startsLine, byteOf, end }] of pieces.entries()) {
          expect(startsLine).toBe(pieces[index - 1]?.endsLine ?? true)
          if (!startsLine) expect(shown).not.toContain('\n')
          const middle = shown.length >> 1
          const units = shown.codePointAt(middle - 1)! > 0xffff ? middle + 1 : middle
          const read = decode(bytes.subarray(byteOf(units), end))
            .replaceAll('\r\n', '\n')
            .replace(/\r?\n$/, '')
          expect(read.replace(/\r$/, '')).toBe(shown.slice(units).replace(/\r$/, ''))
        }
      }),
      { numRuns: 25 },
    )
  })

  it('divide a long line between words', async () => {
    const pieces = await piecesOf(encode('needle haystacks '.repeat(20_000)), 500_000)
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.slice(0, -1).every((piece) => piece.text.endsWith(' '))).toBe(true)
  })

  it.each(['word', '支払い𐀀'])('have each character of a line of several megabytes once: %s', async (word) => {
    const line = Array.from({ length: 300_000 }, (_, index) => `${word}${index} `).join('')
    const pieces = await piecesOf(encode(`${line}\nend`), 700_000)
    expect(pieces.map((piece) => piece.text).join('')).toBe(`${line}end`)
    expect(pieces.filter((piece) => piece.startsLine)).toHaveLength(2)
  })
})
