import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQueryWords } from './query-words.ts'
import { MAX_CANDIDATES } from './rank-passages.ts'
import { scanWords, shapeOf, textChunks, type TextChunk, type WordScan } from './scan-words.ts'

async function scan(content: string, query: string, blockBytes = 65_536): Promise<WordScan> {
  const bytes = new TextEncoder().encode(content)
  async function* blocks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += blockBytes) yield bytes.subarray(at, at + blockBytes)
  }
  return await scanWords(blocks(), parseQueryWords(query).words, { deadlineMs: Infinity })
}

describe('scanWords', () => {
  it('counts and records the lines that have each word', async () => {
    const lines = fc.array(fc.constantFrom('needle', 'a needle, a needle', 'hay', 'hay with a needle', '', 'needles\r'))
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 50 }), async (content, blockBytes) => {
        const found = await scan(content.join('\n'), 'needle hay', blockBytes)
        const having = (word: string): number[] =>
          content.flatMap((line, index) => (line.includes(word) ? [index + 1] : []))
        expect(found.lineCounts).toEqual([having('needle').length, having('hay').length])
        const noted = Array.from({ length: found.candidates.count }, (_, index) => found.candidates.line(index))
        expect(noted).toEqual([...new Set([...having('needle'), ...having('hay')])].toSorted((a, b) => a - b))
      }),
    )
  })

  it('counts a word at most three times in a line', async () => {
    const { candidates } = await scan(`${'needle '.repeat(9)}hay hay\nhay needle`, 'needle hay')
    const times = [0, 1].map((line) => [0, 1].map((word) => candidates.times(line, word)))
    expect(times).toEqual([
      [3, 2],
      [1, 1],
    ])
  })

  it('splits very long lines into parts, and counts each part as a unit', async () => {
    const found = await scan(`${'needle in hay '.repeat(50_000)}\nneedle`, 'needle')
    expect(found.lineCounts).toEqual([2])
    expect(found.lines).toBe(2)
    expect(found.candidates.count).toBeGreaterThan(1_000)
    expect(found.candidates.column(1)).toBe(400)
    expect(found.candidates.line(found.candidates.count - 1)).toBe(2)
  })

  it('keeps a limited number of lines, which have the rarest words', async () => {
    const lines = Array.from({ length: MAX_CANDIDATES * 2 }, (_, index) => (index % 25_000 === 9 ? 'rare' : 'hay'))
    const found = await scan(lines.join('\n'), 'hay rare', 1_000_000)
    expect(found.candidates.count).toBeLessThanOrEqual(MAX_CANDIDATES)
    expect(found.candidates.count + found.candidates.dropped).toBe(lines.length)
    expect(found.lineCounts).toEqual([lines.length - 6, 6])
    const kept = Array.from({ length: found.candidates.count }, (_, index) => found.candidates.line(index))
    expect(kept.filter((line) => lines[line - 1] === 'rare')).toHaveLength(6)
  })
})

const shape = (line: string): number => shapeOf(line, 0, line.length).hash

describe('shapeOf', () => {
  it('is the same for lines that differ only in numbers, times and ids', () => {
    expect(shape('2026-01-01T00:00:01Z request 7f3a failed: 12 ms')).toBe(
      shape('2026-02-03T04:05:06Z request 9c1b failed: 4,012 ms'),
    )
  })

  it('differs for different words or a different order', () => {
    expect(shape('the disk is full')).not.toBe(shape('the disk is empty'))
    expect(shape('alpha bravo charlie')).not.toBe(shape('bravo alpha charlie'))
    expect(shape('ошибка сети')).not.toBe(shape('ошибка диска'))
  })

  it('includes the numbers if the line has no other text', () => {
    expect(shape('1 2 3')).not.toBe(shape('1 2 4'))
    expect(shapeOf('1 2 3', 0, 5).weak).toBe(true)
  })

  it('is weak if only a small part of a line is left', () => {
    expect(shapeOf('FAILED 12', 0, 9).weak).toBe(true)
    expect(shapeOf('the request failed', 0, 18).weak).toBe(false)
  })
})

async function chunksOf(bytes: Uint8Array, blockBytes: number): Promise<TextChunk[]> {
  async function* blocks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += blockBytes) yield bytes.subarray(at, at + blockBytes)
  }
  const chunks: TextChunk[] = []
  for await (const chunk of textChunks(blocks())) chunks.push(chunk)
  return chunks
}

/** Text with lines of any length, from empty lines to several chunks. */
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
  it('returns the whole text in order, each chunk with its position', async () => {
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

  it('is the same for any sizes of blocks', async () => {
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
    const chunks = await chunksOf(new TextEncoder().encode('needle haystacks '.repeat(20_000)), 500_000)
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.slice(0, -1).every((chunk) => chunk.text.endsWith(' '))).toBe(true)
  })
})

function lineEndsOf(chunk: string): number[] {
  const ends = [...chunk.matchAll(/\n/g)].map(({ index }) => index)
  return chunk.endsWith('\n') ? ends : [...ends, chunk.length]
}
