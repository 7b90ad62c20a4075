import { describe, expect, it } from 'vitest'
import { escapeEnd } from '../escape-end.ts'
import { BLANK_LINE, isMarked, lineKind } from './line-kind.ts'

const kind = (line: string): number => lineKind(line, 0, line.length)

describe('lineKind', () => {
  it('is the same for lines that begin alike, whatever their numbers and times', () => {
    expect(kind('2024-05-17 10:21:33.482 [INFO] Downloading from central: a')).toBe(
      kind('2025-01-01 00:00:00.001 [INFO] Downloading from central: b'),
    )
    expect(kind('[12/345] Building CXX object a.o')).toBe(kind('[7/345] Building CXX object b.o'))
    expect(kind('\u001b[32mok\u001b[0m 12 of these')).toBe(kind('ok 13 of these'))
  })

  it('differs for lines that begin differently', () => {
    expect(kind('Compiling a')).not.toBe(kind('Linking a'))
    expect(kind('[INFO] a b')).not.toBe(kind('[WARN] a b'))
  })

  it.each(['', '   ', '\t\r', '\u001b[0m', ' \u001b[0K \r'])('takes %j for blank', (line) => {
    expect(kind(line)).toBe(BLANK_LINE)
  })

  it('sees red and marks of failure at the start', () => {
    for (const line of ['\u001b[31mwrong', '\u001b[1;91mwrong', '  ✗ a test', '● Suite › test'])
      expect(isMarked(kind(line))).toBe(true)
    for (const line of ['\u001b[32mright', '\u001b[0;131mx', '\u001b[38;5;30mx', 'plain', '✓ a test'])
      expect(isMarked(kind(line))).toBe(false)
  })

  it('looks at the given part of a text alone', () => {
    const text = 'before\nCompiling one\nafter'
    expect(lineKind(text, 7, 20)).toBe(kind('Compiling one'))
  })
})

describe('escapeEnd', () => {
  it.each([
    ['\u001b[31mred', 5],
    ['\u001b[?25hshown', 6],
    ['\u001b]0;title\u0007rest', 10],
    ['\u001b]8;;link\u001b\\rest', 11],
    ['\u001b(Brest', 3],
    ['\u001bMrest', 2],
    ['\u001b[12\nrest', 4],
    ['\u001b', 1],
    ['\u001b]unended', 2],
  ])('ends the sequence of %j at %i', (text, end) => {
    expect(escapeEnd(text, 0, text.length)).toBe(end)
  })
})
