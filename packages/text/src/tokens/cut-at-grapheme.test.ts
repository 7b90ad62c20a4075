import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutAtGrapheme } from './cut-at-grapheme.ts'

const pieces = [
  'a',
  ' ',
  '\r\n',
  '\n',
  'é',
  'e\u0301',
  '👍🏽',
  '👨‍👩‍👧‍👦',
  '🇫🇷',
  '🇩🇪',
  '漢',
  '각',
  'か\u3099',
  'नि',
  '\u0600',
  '😀',
  '\u200d',
  '\u0301',
]
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 120 }).map((parts) => parts.join(''))
const boundaries = (text: string): number[] => {
  const found = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)].map(({ index }) => index)
  return [...found, text.length]
}

describe('cutAtGrapheme', () => {
  it('returns the longest start that ends between two graphemes', () => {
    fc.assert(
      fc.property(texts, fc.nat(200), (text, units) => {
        const longest = Math.max(0, ...boundaries(text).filter((index) => index <= units))
        expect(cutAtGrapheme(text, units)).toBe(text.slice(0, longest))
      }),
      { numRuns: 1_000 },
    )
  })

  it('returns the longest end that starts between two graphemes', () => {
    fc.assert(
      fc.property(texts, fc.nat(200), (text, units) => {
        const first = Math.min(text.length, ...boundaries(text).filter((index) => text.length - index <= units))
        expect(cutAtGrapheme(text, units, true)).toBe(text.slice(first))
      }),
      { numRuns: 1_000 },
    )
  })

  it('leaves out a grapheme that is longer than the examined part of the text', () => {
    const long = `a${'\u0301'.repeat(10_000)}`
    expect(cutAtGrapheme(`x${long}y`, 5_000)).toBe('x')
    expect(cutAtGrapheme(`x${long}y`, 5_000, true)).toBe('y')
  })

  it('does not split flags in a long sequence of flags', () => {
    const flags = '🇫🇷'.repeat(500)
    expect(cutAtGrapheme(flags, 1_001)).toBe('🇫🇷'.repeat(250))
    expect(cutAtGrapheme(flags, 1_001, true)).toBe('🇫🇷'.repeat(250))
  })

  it('returns nothing for a size of 0, and the whole text for a large size', () => {
    expect(cutAtGrapheme('abc', 0)).toBe('')
    expect(cutAtGrapheme('abc', -1, true)).toBe('')
    expect(cutAtGrapheme('abc', 3)).toBe('abc')
  })
})
