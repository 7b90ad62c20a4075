import { expect, test } from 'vitest'
import { completeOutline } from './complete-outline.ts'
import type { OutlineSymbol } from './outline.ts'

const symbol = (name: string, line: number, endLine = line, kind = 'function'): OutlineSymbol => ({
  name,
  kind,
  line,
  endLine,
  depth: 0,
  signature: name,
})
const names = (outline: readonly OutlineSymbol[]): string[] => outline.map(({ name }) => name)

test('an outline that misses much gets what patterns find', () => {
  const patterns = [symbol('a', 1), symbol('b', 5), symbol('c', 9)]
  expect(names(completeOutline([], patterns))).toEqual(['a', 'b', 'c'])
  expect(names(completeOutline([symbol('b', 5)], patterns))).toEqual(['a', 'b', 'c'])
})

test('what patterns find within a function is not missed', () => {
  const outline = [symbol('outer', 1, 30), symbol('Box', 40, 60, 'class')]
  const patterns = [
    symbol('outer', 1, 30),
    symbol('inner', 5),
    symbol('other', 9),
    symbol('Box', 40),
    symbol('open', 41),
  ]
  expect(names(completeOutline(outline, patterns.slice(0, 4)))).toEqual(['outer', 'Box'])
  expect(names(completeOutline(outline, [...patterns, symbol('close', 50)]))).toEqual(['outer', 'Box', 'open', 'close'])
})

test('an outline that misses little stays as it is', () => {
  const outline = Array.from({ length: 10 }, (_, index) => symbol(`f${index}`, index * 10 + 1, index * 10 + 5))
  expect(completeOutline(outline, [...outline, symbol('none', 200)])).toBe(outline)
})
