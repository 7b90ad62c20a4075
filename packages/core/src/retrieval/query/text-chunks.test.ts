import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textChunks } from './text-chunks.ts'
import type { TextChunk } from './text-chunks.ts'

async function chunksOf(bytes: Uint8Array, blockBytes: number): Promise<TextChunk[]> {
  async function* blocks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += blockBytes) yield bytes.subarray(at, at + blockBytes)
  }
  const chunks: TextChunk[] = []
  for await (const chunk of textChunks(blocks())) chunks.push(chunk)
  return chunks
}

/** Text with lines from nothing to several chunks. */
const text = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        fc.constantFrom('ab ', 'é', '支払い', '🙂', 'a'),
      ),
      fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 5_000, max: 30_000 })),
      fc.constantFrom('\n', '\r\n', ''),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.map(([piece, times, end]) => piece.repeat(times) + end).join(''))

describe('textChunks', () => {
  it('gives all of a text, in order, each chunk with its place', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1_000, max: 200_000 }), async (content, blockBytes) => {
        const whole = content.startsWith('\uFEFF') ? content.slice(1) : content
        const bytes = new TextEncoder().encode(content)
        const chunks = await chunksOf(bytes, blockBytes)
        expect(chunks.map((chunk) => chunk.text).join('')).toBe(new TextDecoder().decode(bytes))
        let before = ''
        let line = 1
        let offset = 0
        for (const chunk of chunks) {
          expect(chunk.offset).toBe(offset)
          expect(chunk.firstLine).toBe(line)
          expect(chunk.column).toBe(before.length - (before.lastIndexOf('\n') + 1))
          expect(chunk.lineEnds).toEqual(lineEndsOf(chunk.text))
          before += chunk.text
          line += chunk.text.split('\n').length - 1
          offset += chunk.size
          expect(chunk.open).toBe(!chunk.text.endsWith('\n') && offset < bytes.length)
          expect(chunk.size).toBeLessThanOrEqual(65_536)
        }
        expect(before.toWellFormed()).toBe(whole.toWellFormed())
      }),
      { numRuns: 25 },
    )
  })

  it('is the same however the blocks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 70_000 }), async (content, blockBytes) => {
        const bytes = new TextEncoder().encode(content)
        expect(await chunksOf(bytes, Math.max(blockBytes, bytes.length / 500))).toEqual(
          await chunksOf(bytes, 1_000_000),
        )
      }),
      { numRuns: 20 },
    )
  })

  it('divides a long line between words', async () => {
    const chunks = await chunksOf(new TextEncoder().encode('needle haystack '.repeat(20_000)), 500_000)
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.slice(0, -1).every((chunk) => chunk.text.endsWith(' '))).toBe(true)
  })
})

function lineEndsOf(chunk: string): number[] {
  const ends = [...chunk.matchAll(/\n/g)].map(({ index }) => index)
  return chunk.endsWith('\n') ? ends : [...ends, chunk.length]
}
