import { expect, test } from 'vitest'
import { foldLines, type LineBlocks } from './fold-lines.ts'

const RUBY: LineBlocks = { closes: /^def\b(?!.*\bend$)/, end: /^end\b/, comment: '#' }
const fold = (code: string, asked: ReadonlySet<number> = new Set()): string => foldLines(code, RUBY, asked).text

test('a block is left out up to the end that is indented like its beginning', () => {
  expect(fold('class A\n  def b\n    if c\n    end\n  end\n  # d\n\n  def e; end\nend\n')).toBe(
    'class A\n  def b\n  end\n  def e; end\nend\n',
  )
})

test('text of another indentation does not end a block', () => {
  expect(fold('def a\n  b = <<EOS\nc\nEOS\nend\n')).toBe('def a\nend\n')
})

test('parameters over several lines stay', () => {
  expect(fold('def a(b,\n      c)\n  d\nend\n')).toBe('def a(b,\n      c)\nend\n')
})

test('a block without an end stays', () => {
  expect(fold('def a\n  b\n')).toBe('def a\n  b\n')
})

test('a block that was asked for stays', () => {
  const code = 'def a\n  b\nend\n'
  expect(fold(code, new Set(foldLines(code, RUBY, new Set()).folded))).toBe(code)
})
