import { expect, test } from 'vitest'
import { LineIndents } from './line-indents.ts'

test('blanks count one column, and a tab goes to the next multiple of eight', () => {
  const at = (code: string): number => new LineIndents(code).at(0).indent
  expect(['a', '  a', '\ta', '  \ta', '\t a', ''].map(at)).toEqual([0, 2, 8, 8, 9, 0])
})

test('the first word stands behind what joins a line to the one before', () => {
  const at = (code: string): number => new LineIndents(code).at(0).wordIndent
  expect(['  ? {', '  : a', '  a ?', '  ...a', '  || a'].map(at)).toEqual([4, 4, 2, 5, 5])
})
