import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textBlocks, type TextBlock } from './text-blocks.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let offset = 0
  for (let turn = 0; offset < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(offset, offset + size)
    offset += size
  }
}

async function all(chunks: AsyncIterable<Uint8Array>, overlap?: number): Promise<TextBlock[]> {
  const found: TextBlock[] = []
  for await (const block of textBlocks(chunks, overlap)) found.push(block)
  return found
}

const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 })

describe('textBlocks', () => {
  it("divides as split('\\n') does, wherever the chunks end and whatever the line ends are", async () => {
    const text = fc.array(fc.constantFrom('\n', '\r\n', '\r', 'a', 'é', '😀', '\u{FEFF}', ' ', 'line'))
    await fc.assert(
      fc.asyncProperty(text, sizes, async (parts, sizesOfChunks) => {
        const whole = parts.join('')
        const blocks = await all(inChunks(encode(whole), sizesOfChunks))
        expect(blocks.flatMap((block) => block.text.split('\n'))).toEqual(whole.split('\n'))
        let index = 0
        for (const block of blocks) {
          expect(block).toMatchObject({ index, lines: block.text.split('\n').length, begins: true })
          index += block.lines
        }
      }),
    )
  })

  it('decodes invalid bytes as a decoder does that has all of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), sizes, async (bytes, sizesOfChunks) => {
        const blocks = await all(inChunks(bytes, sizesOfChunks))
        const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
        expect(blocks.map(({ text }) => text).join('\n')).toBe(whole)
      }),
    )
  })

  it('passes a line on in pieces that share the overlap, where it is too long to be held', async () => {
    const long = Array.from({ length: 300_000 }, (_, number) => `${number},`).join('')
    const bytes = encode(`first\n${long}\nlast`)
    const blocks = await all(inChunks(bytes, [65_536]), 10)
    expect(blocks.length).toBeGreaterThan(4)
    expect(blocks.filter(({ begins }) => begins).map(({ index }) => index)).toEqual([0, 1, 2])
    const second = blocks.filter(({ index }) => index === 1)
    expect(second.map(({ text, begins }) => (begins ? text : text.slice(10))).join('')).toBe(long)
    for (const [position, { text }] of second.slice(1).entries()) {
      expect(text.slice(0, 10)).toBe(second[position]?.text.slice(-10))
    }
  })
})
