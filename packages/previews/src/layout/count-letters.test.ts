import { describe, expect, it } from 'vitest'
import { countLetters, estimateLetters } from './count-letters.ts'

describe('countLetters', () => {
  it('counts letters and digits of any script, up to an offset', () => {
    expect(countLetters('ab, 12 — é汉字', 100)).toBe(7)
    expect(countLetters('abcdef', 3)).toBe(3)
    expect(countLetters('┌── =>', 100)).toBe(0)
  })
})

describe('estimateLetters', () => {
  it('counts short lines, and estimates longer ones by their start', () => {
    expect(estimateLetters('  a, 12 {', 2, 100)).toBe(3)
    expect(estimateLetters('ab'.repeat(50), 0, 80)).toBe(80)
    expect(estimateLetters('a='.repeat(50), 0, 100)).toBe(50)
    expect(estimateLetters('  ', 2, 100)).toBe(0)
  })
})
