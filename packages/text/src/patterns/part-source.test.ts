import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generatedPatterns, isQuick, LOOKS, QUANTIFIERS } from '../../test/generated-patterns.ts'
import { parseSearchPattern } from './search-pattern.ts'

const parts = {
  atoms: ['a', 'b', '1', '.', '\\w', '\\W', '[^a]', 'ab', ' '],
  assertions: ['^', '$', '\\b', '\\B'],
  quantifiers: QUANTIFIERS,
  groups: LOOKS,
}
const patterns = fc.oneof(
  generatedPatterns(parts),
  generatedPatterns(parts).map((pattern) => `(${pattern})\\1`),
  fc.tuple(generatedPatterns(parts), generatedPatterns(parts)).map(([ahead, behind]) => `(?=(${ahead}))${behind}\\1`),
)
const lines = fc
  .array(fc.constantFrom('a', 'b', 'aa', 'ab', '1', ' ', '-'), { minLength: 1, maxLength: 10 })
  .map((words) => words.join(''))

test('a match in the beginning of a line is a match in the line', () => {
  fc.assert(
    fc.property(patterns, lines, fc.nat(), (source, line, cut) => {
      const pattern = parseSearchPattern(source, { ignoreCase: false })
      if (!isQuick(pattern, line)) return
      const { expression, flags, partExpression = expression } = pattern
      const part = line.slice(0, cut % line.length)
      for (const { index } of part.matchAll(new RegExp(partExpression, `${flags}g`))) {
        const inLine = new RegExp(expression, `${flags}y`)
        inLine.lastIndex = index
        expect(inLine.test(line), `${index} of ${part}`).toBe(true)
      }
    }),
    propertyRuns(670, 20_000),
  )
})

test.each([
  ['foo$', 'foo(?!)'],
  ['foo|^$', 'foo|^(?!)'],
  ['\\bfoo\\b', '\\bfoo\\b(?=[^])'],
  ['foo(?!bar)', 'foo(?:(?=[^]{4})(?!bar))'],
  ['foo(?!.*bar)', 'foo(?!)'],
  ['(?=.*foo$)bar', '(?=.*foo(?!))bar'],
  ['(?<!\\bfoo)bar', '(?:(?=[^]{1})(?<!\\bfoo))bar'],
  ['(?=(a+))\\1', '(?!)'],
])('%s becomes %s', (source, expected) => {
  expect(parseSearchPattern(source, { ignoreCase: false }).partExpression).toBe(expected)
})

test.each(['foo', '^foo.*', '\\bfoo', '(?<!foo)bar', '(?<=\\bfoo)bar', 'foo(?=bar)', '(a+)\\1'])(
  '%s is for parts of lines as it is',
  (source) => {
    expect(parseSearchPattern(source, { ignoreCase: false }).partExpression).toBeUndefined()
  },
)
