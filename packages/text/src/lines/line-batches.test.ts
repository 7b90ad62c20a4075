import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineBatches, type LineBatch } from './line-batches.ts'

const pieces = fc.constantFrom('a', 'bc', '\n', '\r\n', '\r', 'é', '漢', '😀', '\n\n', '0123456789', '\uFEFF', ' ')
const texts = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''))
const sizes = fc.record({ block: fc.integer({ min: 1, max: 40 }), maxLength: fc.integer({ min: 9, max: 50 }) })

async function* blocksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

function batchesOf(text: string, block: number, maxLength: number): AsyncGenerator<LineBatch> {
  const overlap = Math.floor((maxLength - 1) / 4)
  return lineBatches(blocksOf(new TextEncoder().encode(text), block), { maxLength, overlap })
}

/** Lines of `split`, but an LF at the end does not begin another line. */
function splitLines(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  const ended = lines.length - 1
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line, index) => (index < ended ? line.replace(/\r$/, '') : line))
}

/** Return the end of a line in a batch, before its LF or CR LF. */
function lineEnd(batch: LineBatch, index: number): number {
  const { text, lineStarts } = batch
  const start = lineStarts[index]!
  const next = lineStarts[index + 1] ?? text.length
  if (next === start || text.charCodeAt(next - 1) !== 10) return next
  return next - 1 > start && text.charCodeAt(next - 2) === 13 ? next - 2 : next - 1
}

async function collect(batches: AsyncIterable<LineBatch>): Promise<{ number: number; text: string }[]> {
  const lines: { number: number; text: string }[] = []
  for await (const batch of batches) {
    for (const [index, start] of batch.lineStarts.entries()) {
      const number = batch.firstLine + index
      const text = batch.text.slice(start, batch.until === undefined ? lineEnd(batch, index) : batch.until)
      if (index > 0 || batch.column === 0) lines.push({ number, text })
      else lines[lines.length - 1]!.text += text.slice(batch.from)
    }
  }
  return lines
}

describe('lineBatches', () => {
  it('returns all lines with their numbers, for any sizes of blocks and batches', async () => {
    await fc.assert(
      fc.asyncProperty(texts, sizes, async (text, { block, maxLength }) => {
        const expected = splitLines(text).map((line, index) => ({ number: index + 1, text: line }))
        expect(await collect(batchesOf(text, block, maxLength))).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('never returns a batch longer than its limit', async () => {
    await fc.assert(
      fc.asyncProperty(texts, sizes, async (text, { block, maxLength }) => {
        for await (const batch of batchesOf(text, block, maxLength)) {
          expect(batch.text.length).toBeLessThanOrEqual(maxLength)
          expect(batch.column === 0 ? batch.from : batch.from + batch.column).toBeGreaterThanOrEqual(batch.from)
        }
      }),
    )
  })

  it('replaces invalid UTF-8, even if a block ends inside a character', async () => {
    const bytes = new Uint8Array([0xc3, 0xa9, 0x0a, 0xff, 0x61, 0x0a, 0xe2, 0x82])
    const lines = await collect(lineBatches(blocksOf(bytes, 1), { maxLength: 100, overlap: 10 }))
    expect(lines.map((line) => line.text)).toEqual(['é', '\uFFFDa', '\uFFFD'])
  })
})
