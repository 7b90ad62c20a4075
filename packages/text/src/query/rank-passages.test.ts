import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { averageLength, parseQueryWords, weighWords } from './query-words.ts'
import { LINES_AFTER, LINES_BEFORE, rankPassages } from './rank-passages.ts'
import { scanWords, type TextPiece } from './scan-words.ts'

interface Ranked {
  readonly lines: readonly number[]
  readonly scores: readonly number[]
  readonly similar: readonly number[]
  readonly total: number
}

async function rank(lines: readonly string[], query: string, count = 1_000): Promise<Ranked> {
  async function* pieces(): AsyncGenerator<TextPiece> {
    yield { text: lines.join('\n'), startsLine: true, endsLine: true, end: 0, byteOf: (unit) => unit }
  }
  const { words } = parseQueryWords(query)
  const scan = await scanWords(pieces(), words, { deadlineMs: Infinity })
  const weights = { weights: weighWords(words, scan), averageLength: averageLength(scan) }
  const { passages, total } = await rankPassages(words, scan.candidates, weights, count)
  return {
    lines: passages.map(({ candidate }) => scan.candidates.line(candidate)),
    scores: passages.map(({ score }) => score),
    similar: passages.map(({ similar }) => similar),
    total,
  }
}

const hay = (count: number): string[] => Array.from({ length: count }, () => 'hay')

describe('rankPassages', () => {
  it('prefers rare words, several words, and words near each other', async () => {
    const common = Array.from({ length: 40 }, (_, index) => [
      ...hay(20),
      `common ${'abcdefghij'[index % 10]!.repeat(12)}`,
    ])
    const lines = [
      ...common.flat(),
      ...hay(20),
      'rare',
      ...hay(20),
      'rare common',
      ...hay(20),
      'rare',
      'common',
      ...hay(20),
    ]
    const [first, second, third] = (await rank(lines, 'rare common')).lines.map((line) => lines[line - 1])
    expect(first).toBe('rare common')
    expect([second, third]).toEqual(['rare', 'rare'])
    expect((await rank(lines, 'rare common')).lines[1]).toBe(lines.lastIndexOf('rare') + 1)
  })

  it('prefers words that follow each other in the order of the question', async () => {
    const lines = [
      ...hay(20),
      'connection was lost, then refused',
      ...hay(20),
      'connection refused by its peer',
      ...hay(20),
    ]
    expect((await rank(lines, 'connection refused')).lines[0]).toBe(42)
  })

  it('keeps the order of the content for equal scores', async () => {
    const words = ['alpha', 'bravo', 'charly', 'delta']
    const lines = words.flatMap((word) => [`needle in ${word.padEnd(12, 'x')}`, ...hay(20)])
    expect((await rank(lines, 'needle')).lines).toEqual([1, 22, 43, 64])
  })

  it('counts similar passages as one passage, and returns the best of these passages', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => [
      ...hay(10),
      `request ${index + 1} ended with status 503`,
    ]).flat()
    expect(await rank(lines, 'request status')).toMatchObject({ total: 1, similar: [99] })
  })

  it('covers every line, and never includes a line in two passages', async () => {
    const line = fc.constantFrom('hay', 'needle', 'needle of gold', 'a golden needle in hay', 'gold')
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 80 }), async (kinds) => {
        // Each line has other words, so that no two passages are similar.
        const lines = kinds.map((kind, index) => (kind === 'hay' ? kind : `${kind} ${spell(index)}`))
        const { lines: peaks, scores, total, similar } = await rank(lines, 'needle gold')
        const covered = new Set(
          peaks.flatMap((peak) =>
            Array.from({ length: LINES_BEFORE + LINES_AFTER + 1 }, (_, index) => peak - LINES_BEFORE + index),
          ),
        )
        for (const [index, kind] of kinds.entries()) if (kind !== 'hay') expect(covered.has(index + 1)).toBe(true)
        expect(new Set(peaks).size).toBe(total)
        expect(similar.every((count) => count === 0)).toBe(true)
        expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      }),
    )
  })

  it('returns the first passages of the same order for any limit', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => (index % 7 === 0 ? `needle ${spell(index)}` : 'hay'))
    const all = await rank(lines, 'needle')
    for (const count of [0, 1, 5, 20]) {
      expect((await rank(lines, 'needle', count)).lines).toEqual(all.lines.slice(0, count))
      expect((await rank(lines, 'needle', count)).total).toBe(all.total)
    }
  })
})

/** Return a different word for each number. */
function spell(index: number): string {
  return String(index)
    .padStart(12, '0')
    .replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)
}
