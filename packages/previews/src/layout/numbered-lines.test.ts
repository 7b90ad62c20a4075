import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutNumber, findNumbering, numberCut, withoutNumbers } from './numbered-lines.ts'

const CODE = ['import os', '', 'def main():', '    return 12', '', 'main()']

describe('the line numbers of a tool', () => {
  it.each([
    ['cat -n', (line: string, number: number) => `${String(number).padStart(6)}\t${line}`],
    ['an arrow', (line: string, number: number) => `${String(number).padStart(6)}→${line}`],
    ['nl with a colon', (line: string, number: number) => `${number}: ${line}`],
    ['grep -n', (line: string, number: number) => `${number}:${line}`],
    ['a bar', (line: string, number: number) => `${String(number).padStart(4)} | ${line}`],
    ['zeros', (line: string, number: number) => `${String(number).padStart(5, '0')}| ${line}`],
  ])('are removed in the form of %s, starting from any number', (_, write) => {
    for (const first of [1, 98, 4_000]) {
      const lines = CODE.map((line, index) => write(line, first + index))
      const numbering = findNumbering(lines)
      expect(numbering).toMatchObject({ from: 0, shift: first - 1 })
      expect(lines.map((line) => cutNumber(line, numbering!))).toEqual(CODE)
    }
  })

  it('may be between other lines of the tool', () => {
    const lines = ['The file a.py:', ...CODE.map((line, index) => `${index + 1}\t${line}`), '(end of file)']
    const long = [...lines.slice(0, -1), ...Array.from({ length: 60 }, (_, index) => `${index + 7}\tx`), lines.at(-1)!]
    const numbering = findNumbering(long)
    expect(numbering).toMatchObject({ from: 1, shift: -1 })
    expect(cutNumber('(end of file)', numbering!)).toBe('(end of file)')
  })

  it.each([
    ['a log', ['12:01 started', '12:02 stopped', '12:03 started']],
    ['the output of grep', ['3:def a', '9:def b', '12:def c']],
    [
      'an excerpt in a compiler error',
      ['error: no', ' 1 | a', ' 2 | b', ' 3 | c', '', ...Array<string>(20).fill('note: x')],
    ],
    ['two lines', ['1\ta', '2\tb']],
    ['code', CODE],
    ['an empty text', []],
  ])('are not found in %s', (_, lines) => {
    expect(findNumbering(lines)).toBeUndefined()
  })

  it('never make a line longer when they are removed, and lines without a number are unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), (lines, line) => {
        const numbering = findNumbering(lines) ?? { from: 0, mark: '|', spaced: true, shift: 0 }
        expect(line.endsWith(cutNumber(line, numbering))).toBe(true)
      }),
    )
  })
})

describe('numberCut', () => {
  it('removes the numbers that a tool put before lines, and returns the first number', () => {
    const text = Array.from({ length: 20 }, (_, index) => `${String(index + 200).padStart(6)}→- line ${index}`).join(
      '\n',
    )
    const numbers = numberCut(text)
    expect(numbers?.shift).toBe(199)
    expect(numbers?.cut('   205→- line')).toBe('- line')
    expect(withoutNumbers({ start: text }).slice(0, 2)).toEqual(['- line 0', '- line 1'])
  })

  it('does not change a numbered list in the text', () => {
    const text = '1: one\n2: two\n3: three\nA text follows.\nAnd goes on.\nAnd on.'
    expect(numberCut(text)).toBeUndefined()
    expect(withoutNumbers({ start: text })).toEqual(text.split('\n'))
  })
})
