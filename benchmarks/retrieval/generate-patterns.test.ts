import { expect, test } from 'vitest'
import { generatePatterns } from './generate-patterns.ts'

test('generated patterns are the same in each run, different from each other, valid, and of all kinds', () => {
  const patterns = generatePatterns(200)
  expect(patterns).toEqual(generatePatterns(200))
  expect(new Set(patterns.map(({ pattern, ignoreCase }) => `${ignoreCase} ${pattern}`)).size).toBe(200)
  expect(new Set(patterns.map(({ kind }) => kind)).size).toBe(9)
  for (const { pattern } of patterns) expect(() => new RegExp(pattern), pattern).not.toThrow()
})
