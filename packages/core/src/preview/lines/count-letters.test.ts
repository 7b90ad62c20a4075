import { describe, expect, it } from 'vitest'
import { countLetters } from './count-letters.ts'

describe('countLetters', () => {
  it('counts letters of any script and digits, up to a place', () => {
    expect(countLetters('ab, 12 — é汉字', 100)).toBe(7)
    expect(countLetters('abcdef', 3)).toBe(3)
    expect(countLetters('┌── =>', 100)).toBe(0)
  })
})
