import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generatedPatterns, isQuick, LOOKS, QUANTIFIERS } from '../../test/generated-patterns.ts'
import { translateDialect } from './dialect.ts'
import { parseSearchPattern } from './search-pattern.ts'

const parts = {
  atoms: [
    ...[
      'a',
      'B',
      '1',
      '.',
      ' ',
      '\\w',
      '\\s',
      '\\d',
      '\\W',
      '\\S',
      '\\t',
      '\\x61',
      '\\u0062',
      '\\.',
      '\\-',
      '\\/',
      '"',
      '\\"',
      '/',
      '-',
      '_',
    ],
    ...[
      '[ab]',
      '[^a]',
      '[a-c]',
      '[\\w.-]',
      '[.*+]',
      '[\\]a]',
      '[a-]',
      '[^\\s-]',
      '[a\\-c]',
      '[[a]',
      '[\\^a]',
      '[$]',
      ']',
      '}',
      '<',
      '\\<',
    ],
  ],
  assertions: ['^', '$', '\\b', '\\B'],
  quantifiers: QUANTIFIERS,
  groups: [...LOOKS, '(?<name>'],
}

const patterns = generatedPatterns(parts).filter((source) => source.split('(?<name>').length < 3)

const texts = fc
  .array(fc.constantFrom(...Array.from('aB1 ._-/"]}<[^$*+\t'), 'bc', 'ab'), { maxLength: 12 })
  .map((characters) => characters.join(''))

test('syntax with the same meaning in JavaScript and all other dialects is not changed', () => {
  fc.assert(
    fc.property(patterns, texts, fc.boolean(), (source, text, ignoreCase) => {
      const pattern = parseSearchPattern(source, { ignoreCase })
      if (!isQuick(pattern, text)) return
      const { expression, flags, problem } = pattern
      expect(problem).toBeUndefined()
      const expected = new RegExp(source, ignoreCase ? 'si' : 's').exec(text)
      const found = new RegExp(expression, flags).exec(text)
      expect(found && [...found]).toEqual(expected && [...expected])
      expect(found?.index).toBe(expected?.index)
    }),
    propertyRuns(500, 15_000),
  )
})

test('a translated pattern has the same matches with the flag u', () => {
  fc.assert(
    fc.property(patterns, texts, (source, text) => {
      if (!isQuick(parseSearchPattern(source, { ignoreCase: false }), text)) return
      const translated = translateDialect(source).source
      // The flag u forbids quantifiers after look-ahead. The generated patterns have no such quantifiers.
      const found = new RegExp(translated, 'su').exec(text)
      expect(found && [...found]).toEqual(
        new RegExp(translated, 's').exec(text) && [...new RegExp(translated, 's').exec(text)!],
      )
    }),
    propertyRuns(330, 10_000),
  )
})

test('the translation of any text is a valid pattern', () => {
  const syntax = fc.array(
    fc.constantFrom(
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '?',
      '*',
      '+',
      '|',
      '^',
      '$',
      '.',
      '\\',
      '-',
      ':',
      '<',
      '>',
      '=',
      '!',
      '#',
      '1',
      ',',
      'a',
      'i',
      'P',
      'x',
      'Q',
      'E',
      '[:alpha:]',
      '(?i)',
      '(?x)',
      '😀',
      '\ud83d',
      '\n',
      'k',
      'g',
      'p{L}',
    ),
    { maxLength: 16 },
  )
  fc.assert(
    fc.property(syntax, fc.boolean(), (characters, ignoreCase) => {
      const text = characters.join('')
      const pattern = parseSearchPattern(text, { ignoreCase })
      expect(pattern.text).toBe(text)
      for (const [source, flags] of [
        [pattern.expression, pattern.flags],
        [pattern.textExpression, pattern.textFlags],
      ] as const) {
        expect(new RegExp(source, flags).source).toBeTypeOf('string')
      }
      if (pattern.problem === undefined) return
      expect(pattern.problem).toMatch(/^[A-Z`].*[^.]$/)
      if (!text.includes('\n')) expect(new RegExp(pattern.expression, pattern.flags).exec(`-${text}-`)?.[0]).toBe(text)
    }),
    propertyRuns(1_000, 30_000),
  )
})

test.each([
  ['(?i)error', 'ERROR', true],
  ['(?im)^error', 'ERROR', true],
  ['(?s)a.b', 'a b', true],
  ['(?i)(?s)a.b', 'A b', true],
  ['(?P<x>a+)-(?P=x)$', 'aa-aa', true],
  ['(a)\\10', 'aa0', false],
  ['\\Aerror', 'an error', false],
  ['\\Aerror\\Z', 'error', true],
  ['error\\z', 'error', true],
  ['a\\hb', 'a\tb', true],
  ['[\\h]', '\t', true],
  ['\\e\\[31m', '\u001b[31m', true],
  ['\\x{1F600}', '😀', true],
  ['\\u{1F600}+$', '😀😀', true],
  ['^[😀😁]$', '😁', true],
  ['\\pL\\p{Lu}', 'xX', true],
  ['\\p{Greek}', 'λ', true],
  ['a{,2}$', 'aa', true],
  ['^a{,2}$', 'aaa', false],
  ['{"a": 1}', '{"a": 1}', true],
  ['a{b}', 'a{b}', true],
  ['[[:digit:][:upper:]]+$', '1A', true],
  ['^[^[:space:]]$', ' ', false],
  ['^[]a]+$', ']a', true],
  ['^[^]a]+$', ']', false],
  ['a[^]*b', 'a--b', true],
  ['^[\\w-.]+$', 'a-.', true],
  ['\\<title\\>', '<title>', true],
  ['\\"name\\"', '"name"', true],
  ['a\\', 'a\\', true],
  ['C:\\Users\\me', 'C:\\Users\\me', true],
  ['args[]', 'args[]', true],
  ['**/x', '**/x', true],
])('the pattern %s searched in %j gives %s', (source, text, matches) => {
  const { expression, flags } = parseSearchPattern(source, { ignoreCase: false })
  expect(new RegExp(expression, flags).test(text)).toBe(matches)
})

test.each([
  ['foo(', 'Unterminated group'],
  ['foo)', "Unmatched ')'"],
  ['a[b', 'Unterminated character class'],
  ['a[]', 'Unterminated character class'],
  ['a**', 'Nothing to repeat'],
  ['[z-a]', 'Range out of order in character class'],
  ['a\\', 'A backslash at the end'],
  ['a++', 'Nothing to repeat'],
  ['x(?>a)', 'Invalid group'],
  ['(?|a|b)', 'Invalid group'],
  ['(a)(?(1)b|c)', 'Invalid group'],
  ['a(?R)', 'The flags `R` are not supported here, only `(?i)` at the start'],
  ['a(?i)b', 'The flags `i` are not supported here, only `(?i)` at the start'],
  ['a(?i:b)', 'The flags `i` are not supported here, only `(?i)` at the start'],
  ['(?x) a b', 'The flags `x` are not supported here, only `(?i)` at the start'],
  ['a(*SKIP)b', 'Nothing to repeat'],
  ['foo\\K', '`\\K` has no meaning'],
  ['C:\\Users', '`\\U` has no meaning'],
  ['a\\x', '`\\x` has no meaning'],
  ['[\\A]', '`\\A` has no meaning'],
  ['\\p{Nope}', 'There is no property `Nope` of characters'],
  ['\\u{110000}', 'There is no such character'],
  ['(a)\\2', 'There is no group `2`'],
  ['\\k<x>', 'There is no group `x`'],
  ['(?<x>a)(?<x>b)', 'Duplicate capture group name'],
  ['[[:nope:]]', 'The class `[:nope:]` is not supported'],
  ['[a-z&&[^b]]', 'Intersections of classes are not supported'],
  [`${'('.repeat(300)}a${')'.repeat(300)}`, 'Groups nested too deep'],
  ['a'.repeat(3_000), 'An expression has at most 2,048 characters'],
])('the pattern %s translates to %s', (source, message) => {
  const pattern = parseSearchPattern(source, { ignoreCase: false })
  expect(pattern.problem).toBe(message)
  expect(new RegExp(pattern.expression, pattern.flags).test(source)).toBe(true)
})

describe('the text expression of a pattern', () => {
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
    ],
  ]

  const parts = { atoms, assertions: ['^', '$', '\\b', '\\B'], quantifiers: QUANTIFIERS, groups: LOOKS }

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

  test('finds the same matches in a whole text as the line expression in each line', () => {
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
    ['[\\0-\\x1f]', '(?:(?!\\n)[\\0-\\x1f])'],
    ['\\w+ [^\\s]', '\\w+ [^\\s]'],
  ])('of %s is %s', (source, expected) => {
    expect(parseSearchPattern(source, { ignoreCase: false }).textExpression).toBe(expected)
  })
})
