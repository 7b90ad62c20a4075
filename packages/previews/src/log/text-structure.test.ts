import { describe, expect, it } from 'vitest'
import { TextScanner } from './text-scanner.ts'
import { structureScores } from './text-structure.ts'

/** Return the lines with the highest score, in order. */
function bestOf(text: string): string[] {
  const scanner = new TextScanner()
  scanner.push(text)
  const { kept } = scanner.finish()
  const scores = structureScores(kept)
  const best = Math.max(...scores)
  return kept.filter((_, index) => scores[index] === best).map((line) => line.text)
}

describe('structureScores', () => {
  it.each([
    ['headings of blocks', 'One\n  a\n  b\n\nTwo\n  c\n  d\n\n  e\n  f', ['Two']],
    ['settings between comments', '# a\n# b\nport 1\n# c\n# d\nhost x\n# e', ['port 1', 'host x']],
    ['commands of a markup', 'a b\n\\part{x}\nc d\ne f\n\\part{y}\ng h', ['\\part{x}', '\\part{y}']],
    ['lines above deeper lines', 'a\n b\n c\nd\n e\n f\n g', ['a', 'd']],
  ])('are highest for %s', (_, text, best) => {
    expect(bestOf(text)).toEqual(best)
  })

  it('are 0 if all lines have the same form', () => {
    for (const text of ['one\ntwo\nthree', '# a\n# b\n# c', '', '\n\n'])
      expect(bestOf(text)).toEqual(text.split('\n').filter((line) => line !== ''))
  })

  it('are from 0 to 1', () => {
    const scanner = new TextScanner()
    scanner.push('a\n\n[b]\n c\n\n# d\n  e\n')
    for (const score of structureScores(scanner.finish().kept)) {
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(1)
    }
  })
})
