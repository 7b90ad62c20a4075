import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAge, formatBytes, formatTable, printable, quoteForShell, safeForTerminal } from './format.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [99_499, '99.5 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [1_234_567_890, '1.2 GB'],
])('writes %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [7_200_000, '2 h'],
  [200_000_000, '2 d'],
])('writes %i ms as %s', (milliseconds, text) => {
  expect(formatAge(milliseconds)).toBe(text)
})

test('aligns columns for people, and parts them by single tabs for scripts', () => {
  const rows = [
    ['a', 'bb'],
    ['cc\tc', 'd\n'],
  ]
  expect(formatTable(rows, true)).toMatch(/^a {5}bb\n/)
  expect(formatTable(rows, false)).toBe('a\tbb\ncc c\td \n')
})

test('lets colours through to a terminal, and nothing else that it would obey', () => {
  const red = '\u001B[1;31mred\u001B[m\tand\n'
  expect(safeForTerminal(red)).toBe(red)
  expect(safeForTerminal('\u001B]0;title\u0007\u001B[2J\u009B2J\r\b')).toBe('�]0;title��[2J�2J��')
})

test('a shell reads back what was quoted for it', () => {
  const words = fc.array(
    fc.string({ unit: 'grapheme' }).map((word) => word.replaceAll('\0', '')),
    {
      minLength: 20,
      maxLength: 100,
    },
  )
  fc.assert(
    fc.property(words, (args) => {
      const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${args.map(quoteForShell).join(' ')}`])
      expect(stdout.toString()).toBe(args.map((word) => `${word}\0`).join(''))
    }),
    { numRuns: 20 },
  )
})

test('control characters do not reach a terminal', () => {
  expect(printable('a\u001B[2Jb\u202Ec')).toBe('a�[2Jb�c')
})
