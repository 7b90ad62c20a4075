import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_CANDIDATES } from './passage-candidates.ts'
import { parseQueryWords } from './query-words.ts'
import { scanWords } from './scan-words.ts'
import type { WordScan } from './scan-words.ts'

async function scan(content: string, query: string, blockBytes = 65_536): Promise<WordScan> {
  const bytes = new TextEncoder().encode(content)
  async function* blocks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += blockBytes) yield bytes.subarray(at, at + blockBytes)
  }
  return await scanWords(blocks(), parseQueryWords(query).words, { signal: undefined, deadlineMs: Infinity })
}

describe('scanWords', () => {
  it('counts the lines that have each word, and notes them', async () => {
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

  it('takes very long lines in parts, and counts each once', async () => {
    const found = await scan(`${'needle in hay '.repeat(50_000)}\nneedle`, 'needle')
    expect(found.lineCounts).toEqual([2])
    expect(found.lines).toBe(2)
    expect(found.candidates.count).toBeGreaterThan(1_000)
    expect(found.candidates.column(1)).toBe(400)
    expect(found.candidates.line(found.candidates.count - 1)).toBe(2)
  })

  it('keeps a bounded number of lines, those with the rarest words', async () => {
    const lines = Array.from({ length: MAX_CANDIDATES * 2 }, (_, index) => (index % 25_000 === 9 ? 'rare' : 'hay'))
    const found = await scan(lines.join('\n'), 'hay rare', 1_000_000)
    expect(found.candidates.count).toBeLessThanOrEqual(MAX_CANDIDATES)
    expect(found.candidates.count + found.candidates.dropped).toBe(lines.length)
    expect(found.lineCounts).toEqual([lines.length - 6, 6])
    const kept = Array.from({ length: found.candidates.count }, (_, index) => found.candidates.line(index))
    expect(kept.filter((line) => lines[line - 1] === 'rare')).toHaveLength(6)
  })
})
