import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { spawnSync } from 'node:child_process'
import { codePoint } from '@spillway-internal/test-run/code-point'
import {
  formatAge,
  formatBytes,
  formatJson,
  formatTable,
  printable,
  quoteForShell,
  visible,
  quoteForCmd,
} from './output.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [99_499, '99.5 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [1_234_567_890, '1.2 GB'],
])('formatBytes writes %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [7_200_000, '2 h'],
  [200_000_000, '2 d'],
])('formatAge writes %i ms as %s', (milliseconds, text) => {
  expect(formatAge(milliseconds)).toBe(text)
})

test('a table is aligned for people, and has single tabs for scripts', () => {
  const rows = [
    ['a', 'bb'],
    ['cc\tc', 'd\n'],
  ]
  expect(formatTable(rows, true)).toMatch(/^a {5}bb\n/)
  expect(formatTable(rows, false)).toBe('a\tbb\ncc c\td \n')
})

describe('visible', () => {
  test.each([
    ['a title and a clear', '\u001B]0;title\u0007\u001B[2J\u009B2J\b', '␛]0;title␇␛[2J�2J␈'],
    ['an overwritten line', 'evil\rgood', 'evil␍good'],
    ['hidden and colored text', 'a\u001B[8mhidden\u001B[0m \u001B[38;5;1mred\u001B[m', 'ahidden red'],
    ['codes that a removal would make', '\u001B\u001B[0m[2J', '␛[2J'],
    ['a reversed text', 'a\u202Eb\u2066c\u2028d', 'a�b�c�d'],
    ['line ends, tabs and emoji', 'a\tb\r\nc 👩‍👩‍👧\n', 'a\tb\r\nc 👩‍👩‍👧\n'],
  ])('shows %s', (_, text, shown) => expect(visible(text)).toBe(shown))

  test('leaves no control characters in any text', () => {
    const piece = fc.constantFrom(
      '\u001B',
      '[',
      '0;1',
      'm',
      '2J',
      ']52;c;',
      '\u0007',
      '\u009B',
      '\r',
      '\n',
      '\u007F',
      'é',
    )
    fc.assert(
      fc.property(fc.array(piece), fc.string({ unit: codePoint }), (pieces, text) => {
        expect(visible(pieces.join('') + text).replace(/\r\n|[\t\n]/g, '')).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})

test('a name is printed on one line', () => {
  expect(printable('a\u001B[2Jb\n\tc')).toBe('a␛[2Jb  c')
})

test('printed JSON has no control characters, and parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: codePoint }), (value, text) => {
      const json = formatJson({ text, value, [text]: '\u009B\u007F\u202E' })
      expect(json).not.toMatch(/\p{Cc}|\u202E/u)
      expect(json).toBe(formatJson(JSON.parse(json)))
      expect((JSON.parse(json) as { text: string }).text).toBe(text)
    }),
  )
})

test('a shell parses a quoted word to the same word', () => {
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

test.each([
  ['npm', 'npm'],
  ['C:/a-b', 'C:/a-b'],
  ['two words', '^"two words^"'],
  ['say "hi"', String.raw`^"say \^"hi\^"^"`],
  ['C:\\x y\\', String.raw`^"C:\x y\\^"`],
  ['a & %PATH%', '^"a ^& ^%PATH^%^"'],
])('a word with %s is quoted for cmd.exe', (word, quoted) => {
  expect(quoteForCmd(word)).toBe(quoted)
})
