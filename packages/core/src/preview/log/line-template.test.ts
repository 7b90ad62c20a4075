import { describe, expect, it } from 'vitest'
import { lineTemplate } from './line-template.ts'

describe('lineTemplate', () => {
  it.each([
    ['3 failed', '14 failed'],
    ['took 10ms', 'took 9999ms'],
    ['request 0f3a9c7e failed', 'request 77aa12bc failed'],
    [
      `${'a'.repeat(800)} ${'x'.repeat(500)} end of it ${'b'.repeat(300)}`,
      `${'a'.repeat(800)} ${'y'.repeat(500)} end of it ${'b'.repeat(300)}`,
    ],
  ])(
    'is the same for lines that differ in numbers, words with digits, or the middle of a long line alone',
    (one, other) => {
      expect(lineTemplate(one)).toBe(lineTemplate(other))
    },
  )

  it.each([
    ['0 failed', '3 failed'],
    ['exited with 0', 'exited with 1'],
    ['error: a', 'error: b'],
    ['100', '0'],
    ['', ' '],
    ['x'.repeat(1_200), `${'x'.repeat(1_199)}y`],
  ])('tells %j from %j', (one, other) => {
    expect(lineTemplate(one)).not.toBe(lineTemplate(other))
  })
})
