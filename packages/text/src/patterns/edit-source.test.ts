import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { searchCounting } from '../../test/counting-matcher.ts'
import { generatedMatches, generatedPatterns, isQuick, LOOKS, QUANTIFIERS } from '../../test/generated-patterns.ts'
import { parseSearchPattern } from './search-pattern.ts'

const patterns = generatedMatches({
  atoms: [
    'a',
    'B',
    'ab',
    '[ab]',
    '[^aB]',
    '[A-C]',
    '[a-]',
    '[\\w-]',
    '[^\\wé]',
    '[--a]',
    '[a-b-c]',
    '\\x41',
    'é',
    'Σ',
    '[α-ω]',
    '.',
    '1',
  ],
  assertions: ['^', '$', '\\b'],
  quantifiers: QUANTIFIERS,
  groups: [...LOOKS, '(?i:', '(?i:', '(?-i:', '(?i:'],
})

// JavaScript is no reference: Node.js 22 lacks such groups, and in Node.js 24 `(?i:[^B]??a)` matches `ba`.
test('groups that change case sensitivity match as in ECMAScript', () => {
  fc.assert(
    fc.property(patterns, fc.nat(2), fc.boolean(), ({ source, sample }, change, ignoreCase) => {
      const text = [sample, sample.toUpperCase(), sample.toLowerCase()][change]!
      const pattern = parseSearchPattern(source, { ignoreCase })
      if (!isQuick(pattern, text)) return
      expect(pattern.problem).toBeUndefined()
      expect(pattern.expression).not.toMatch(/\(\?-?i/)
      const { match } = searchCounting(source, ignoreCase ? 'is' : 's', text, 1_000_000)
      const found = new RegExp(pattern.expression, pattern.flags).exec(text)
      expect(found ? [found.index, found.index + found[0].length] : undefined).toEqual(match)
    }),
    propertyRuns(500, 15_000),
  )
})

test.each([
  ['(?i:foo)', '(?:foo)', 'is'],
  ['(?i:foo)1', '(?:foo)1', 'is'],
  ['(?i)foo', 'foo', 'is'],
  ['^(?i)foo|bar$', '^(?:foo)|(?:bar$)', 'is'],
  ['(?i:1)a', '(?:1)a', 's'],
  ['(?i:a)B', '(?:[\\u0041-\\u0041\\u0061-\\u0061])B', 's'],
])('%s is searched as %s', (source, expression, flags) => {
  expect(parseSearchPattern(source, { ignoreCase: false })).toMatchObject({ expression, flags })
})

describe('text source', () => {
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

  test('finds the same matches in a whole text as the original in each line', () => {
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
  ])('turns %s into %s', (source, expected) => {
    expect(parseSearchPattern(source, { ignoreCase: false }).textExpression).toBe(expected)
  })
})

describe('part source', () => {
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

  test('finds in a part of a line only matches of the whole line', () => {
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
  ])('turns %s into %s', (source, expected) => {
    expect(parseSearchPattern(source, { ignoreCase: false }).partExpression).toBe(expected)
  })

  test.each(['foo', '^foo.*', '\\bfoo', '(?<!foo)bar', '(?<=\\bfoo)bar', 'foo(?=bar)', '(a+)\\1'])(
    'leaves %s unchanged for parts of lines',
    (source) => {
      expect(parseSearchPattern(source, { ignoreCase: false }).partExpression).toBeUndefined()
    },
  )
})
