import { expect, it } from 'vitest'
import { estimateLetters } from './estimate-letters.ts'

it('letters and digits of any script are counted in short lines, and estimated by the start in longer lines', () => {
  expect(estimateLetters('  a, 12 {', 2, 100)).toBe(3)
  expect(estimateLetters('ab, 12 — é汉字', 0, 100)).toBe(7)
  expect(estimateLetters('┌── =>', 0, 100)).toBe(0)
  expect(estimateLetters('ab'.repeat(50), 0, 80)).toBe(80)
  expect(estimateLetters('a='.repeat(50), 0, 100)).toBe(50)
  expect(estimateLetters('  ', 2, 100)).toBe(0)
})
