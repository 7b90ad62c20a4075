import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQueryWords } from './query-words.ts'
import { MAX_CANDIDATES } from './rank-passages.ts'
import { scanWords, shapeOf, type TextPiece, type WordScan } from './scan-words.ts'

/** Scan ASCII text in pieces of some lines. */
async function scan(content: string, query: string, linesOfPiece = 100): Promise<WordScan> {
  async function* pieces(): AsyncGenerator<TextPiece> {
    const lines = content.split('\n')
    let start = 0
    for (let at = 0; at < lines.length; at += linesOfPiece) {
      const text = lines.slice(at, at + linesOfPiece).join('\n')
      const offset = start
      start += text.length + 1
      yield { text, startsLine: true, endsLine: true, end: start, byteOf: (unit) => offset + unit }
    }
  }
  return await scanWords(pieces(), parseQueryWords(query).words, { deadlineMs: Infinity })
}

describe('scanWords', () => {
  it('counts and records the lines that have each word', async () => {
    const lines = fc.array(fc.constantFrom('needle', 'a needle, a needle', 'hay', 'hay with a needle', '', 'needles\r'))
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 50 }), async (content, linesOfPiece) => {
        const found = await scan(content.join('\n'), 'needle hay', linesOfPiece)
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
    expect([found.candidates.isPart(1), found.candidates.offset(1)]).toEqual([true, 400])
    expect(found.candidates.line(found.candidates.count - 1)).toBe(2)
  })

  it('keeps a limited number of lines, which have the rarest words', async () => {
    const lines = Array.from({ length: MAX_CANDIDATES * 2 }, (_, index) => (index % 25_000 === 9 ? 'rare' : 'hay'))
    const found = await scan(lines.join('\n'), 'hay rare', 10_000)
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
