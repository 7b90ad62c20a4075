import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generatedPatterns, isQuick, LOOKS, QUANTIFIERS } from '../../test/generated-patterns.ts'
import { parseSearchPattern } from './search-pattern.ts'

const atoms = [
  ...[
    'a',
    'b',
    '.',
    'ab',
    '\\n',
    '\\r',
    '\\t',
    '\\x0a',
    '\\s',
    '\\S',
    '\\w',
    '\\W',
    '\\d',
    '\\D',
    '[ab]',
    '[^a]',
    '[^\\n]',
    '[\\n]',
  ],
  ...[
    '[\\s\\S]',
    '[\\sa]',
    '[a\\s-]',
    '[\\W]',
    '[\\D_]',
    '[^\\s]',
    '[^\\Sb]',
    '[^]',
    '[\\0-\\x1f]',
    '[-\\n]',
    '[^-a]',
    '[\\na]',
    '\\h',
    '\\R',
  ],
]
const parts = { atoms, assertions: ['^', '$', '\\b', '\\B'], quantifiers: QUANTIFIERS, groups: [...LOOKS, '(?i:'] }
const unicodeParts = { ...parts, atoms: [...atoms, '\\p{L}', '\\P{L}', '[^\\p{L}]', '[\\P{L}a]', '\\u{1F600}'] }
const patterns = fc.oneof(
  generatedPatterns(parts),
  generatedPatterns(parts).map((pattern) => `(${pattern})\\1`),
  generatedPatterns({ ...unicodeParts, groups: LOOKS }),
)
const texts = fc
  .array(fc.constantFrom('a', 'b', 'A', ' ', '\t', '-', '_', '1', '\n', '\n', 'ab', '\n\n', 'ſ', '😀'), {
    maxLength: 14,
  })
  .map((characters) => characters.join(''))

interface Place {
  readonly index: number
  readonly text: string
}

function firstInLines(expression: RegExp, text: string, from: number): Place | undefined {
  for (let start = from; start < text.length;) {
    const lineFeed = text.indexOf('\n', start)
    const end = lineFeed < 0 ? text.length : lineFeed
    const match = expression.exec(text.slice(start, end))
    if (match) return { index: start + match.index, text: match[0] }
    start = end + 1
  }
  return undefined
}

test('the expression for texts finds the matches of the expression in each line', () => {
  fc.assert(
    fc.property(patterns, texts, fc.boolean(), (source, text, ignoreCase) => {
      const pattern = parseSearchPattern(source, { ignoreCase })
      if (!isQuick(pattern, text)) return
      const { expression, flags, textExpression, textFlags } = pattern
      const line = new RegExp(expression, flags)
      const whole = new RegExp(textExpression, `${textFlags}g`)
      for (let start = 0; start < text.length; start = text.indexOf('\n', start) + 1 || text.length) {
        whole.lastIndex = start
        const match = whole.exec(text)
        const isBehindAll = match?.index === text.length && text.endsWith('\n')
        const found = match && !isBehindAll ? { index: match.index, text: match[0] } : undefined
        expect(found).toEqual(firstInLines(line, text, start))
      }
    }),
    propertyRuns(500, 15_000),
  )
})

test.each([
  ['.', '[^\\n]'],
  ['\\s+', '[^\\S\\n]+'],
  ['[^"]*', '[^\\n-\\n"]*'],
  ['[\\s\\S]*?', '[^\\n]*?'],
  ['a\\nb', 'a[]b'],
  ['[\\s,]', '[\\t\\v\\f\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff,]'],
  ['[\\0-\\x1f]', '(?:(?!\\n)[\\x00-\\x1f])'],
  ['\\w+ [^\\s]', '\\w+ [^\\s]'],
])('%s becomes %s', (source, expected) => {
  expect(parseSearchPattern(source, { ignoreCase: false }).textExpression).toBe(expected)
})
