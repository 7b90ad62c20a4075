import { expect, test } from 'vitest'
import { foldSuites } from './outline-by-grammars.ts'

const fold = (code: string, asked: ReadonlySet<number> = new Set()): string => foldSuites(code, asked).text

test('suites of functions become pass, and so do statements that define nothing', () => {
  expect(fold('import a\nB = 1\n\ndef f(x):\n    return x\n\nclass C:\n    d = 1\n    def e(self): return 1\n')).toBe(
    'pass\ndef f(x): pass\nclass C:\n    pass\n    def e(self): return 1\n',
  )
})

test('a suite goes on over strings and comments in the first column', () => {
  expect(fold('def f():\n    """\nx\n    """\n# y\n    return """\ndef z():\n"""\ng = 1\n')).toBe(
    'def f(): pass\npass\n',
  )
})

test('parameters over several lines belong to their function', () => {
  expect(fold('def f(\n    a,  # one\n    b="("\n):\n    pass\n')).toBe('def f(\n    a,  \n    b="("\n): pass\n')
})

test('a list that is never closed ends before the next definition in the first column', () => {
  expect(fold('x = (1,\ndef f():\n    pass\n')).toBe('pass\ndef f(): pass\n')
})

test('a suite that was asked for stays', () => {
  const code = 'def f():\n    def g():\n        pass\n'
  expect(fold(code, new Set(foldSuites(code, new Set()).folded))).toBe('def f():\n    def g(): pass\n')
})
