import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, test } from 'vitest'
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

test('syntax with the same meaning in JavaScript and all other engines is unchanged', () => {
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

test('a translated pattern means the same with the flag u', () => {
  fc.assert(
    fc.property(patterns, texts, (source, text) => {
      if (!isQuick(parseSearchPattern(source, { ignoreCase: false }), text)) return
      const translated = translateDialect(source).source
      // Only without the flag may look-ahead have a quantifier; here it has none.
      const found = new RegExp(translated, 'su').exec(text)
      expect(found && [...found]).toEqual(
        new RegExp(translated, 's').exec(text) && [...new RegExp(translated, 's').exec(text)!],
      )
    }),
    propertyRuns(330, 10_000),
  )
})

test('translating any text gives a valid pattern', () => {
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
        [pattern.partExpression ?? '', pattern.flags],
      ] as const) {
        expect(new RegExp(source, flags).source).toBeTypeOf('string')
      }
      if (pattern.problem === undefined) return
      expect(pattern.problem.message).toMatch(/^[A-Z`].*[^.]$/)
      expect(pattern.problem.position).toBeGreaterThanOrEqual(0)
      expect(pattern.problem.position).toBeLessThanOrEqual(text.length)
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
  ['a(?i)b|c', 'aB', true],
  ['a(?i)b|c', 'C', true],
  ['a(?i)b|c', 'AB', false],
  ['(a(?i)b)c', 'aBC', false],
  ['(a(?i)b)c', 'aBc', true],
  ['x(?i:foo)y', 'xFOOy', true],
  ['x(?i:foo)y', 'XfooY', false],
  ['(?i)x(?-i:foo)', 'Xfoo', true],
  ['(?i)x(?-i:foo)', 'XFOO', false],
  ['1(?i:[a-c_-]+)2', '1B-_C2', true],
  ['1(?i:[^a-c])2', '1B2', false],
  ['(?i:é)x', 'Éx', true],
  ['(?x) a b  # comment\n c', 'abc', true],
  ['(?x) a\\ b [ #] c', 'a b#c', true],
  ['(?x: a b ) c', 'ab c', true],
  ['a(?#comment)+b', 'aab', true],
  ['(?P<x>a+)-(?P=x)$', 'aa-aa', true],
  ["(?'x'a)\\k{x}", 'aa', true],
  ['(a)\\g1', 'aa', true],
  ['(a)\\g{1}', 'aa', true],
  ['(a)\\10', 'aa0', false],
  ['\\Aerror', 'an error', false],
  ['\\Aerror\\Z', 'error', true],
  ['error\\z', 'error', true],
  ['a\\hb', 'a\tb', true],
  ['a\\Hb', 'a b', false],
  ['[\\h]', '\t', true],
  ['a\\Nb', 'a b', true],
  ['a\\Rb', 'a\rb', true],
  ['\\e\\[31m', '\u001b[31m', true],
  ['\\x{1F600}', '😀', true],
  ['\\U0001F600', '😀', true],
  ['\\u{1F600}+$', '😀😀', true],
  ['^\\uD83D\\uDE00{2}$', '😀😀', true],
  ['^[😀😁]$', '😁', true],
  ['\\o{101}\\101', 'AA', true],
  ['\\pL\\p{Lu}', 'xX', true],
  ['\\p{^Lu}$', 'x', true],
  ['\\p{Greek}', 'λ', true],
  ['\\Qa.b*\\E+', 'a.b**', true],
  ['a{,2}$', 'aa', true],
  ['^a{,2}$', 'aaa', false],
  ['{"a": 1}', '{"a": 1}', true],
  ['a{b}', 'a{b}', true],
  ['[[:digit:][:upper:]]+$', '1A', true],
  ['^[[:^digit:]]$', '1', false],
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
])('matching %s in %j: %s', (source, text, matches) => {
  const { expression, flags } = parseSearchPattern(source, { ignoreCase: false })
  expect(new RegExp(expression, flags).test(text)).toBe(matches)
})

test.each([
  ['foo(', 'Unterminated group', 3],
  ['(a(b', 'Unterminated group', 2],
  ['foo)', 'Unmatched `)`', 3],
  ['a[b', 'Unterminated character class', 1],
  ['a[]', 'Unterminated character class', 1],
  ['a**', 'Nothing to repeat', 2],
  ['*a', 'Nothing to repeat', 0],
  ['[z-a]', 'Range out of order in character class', 3],
  ['a\\', 'A backslash at the end', 1],
  ['a++', 'Possessive quantifiers are not supported', 2],
  ['a{2}+', 'Possessive quantifiers are not supported', 4],
  ['x(?>a)', 'Atomic groups are not supported', 1],
  ['(?|a|b)', 'Branch reset groups are not supported', 0],
  ['(a)(?(1)b|c)', 'Conditionals are not supported', 3],
  ['a(?R)', 'Recursion is not supported', 1],
  ['(a)(?1)', 'Recursion is not supported', 3],
  ['(?P<x>a)(?P>x)', 'Recursion is not supported', 8],
  ['(?<x>a)\\g<x>', 'Recursion is not supported', 7],
  ['a(*SKIP)b', 'Verbs such as `(*SKIP)` are not supported', 1],
  ['foo\\K', '`\\K` is not supported', 3],
  ['\\Gfoo', '`\\G` is not supported', 0],
  ['\\X', 'Grapheme clusters (`\\X`) are not supported', 0],
  ['C:\\Users', '`\\U` needs digits of a character', 2],
  ['a\\x', '`\\x` needs digits of a character', 1],
  ['a\\y', '`\\y` has no meaning', 1],
  ['[\\A]', '`\\A` has no meaning', 1],
  ['\\p{Nope}', 'There is no property `Nope` of characters', 0],
  ['\\u{110000}', 'There is no such character', 0],
  ['(a)\\2', 'There is no group `2`', 3],
  ['\\k<x>', 'There is no group `x`', 0],
  ['(?<x>a)(?<x>b)', 'Duplicate capture group name', 7],
  ['[[:nope:]]', 'The class `[:nope:]` is not supported', 1],
  ['[a-z&&[^b]]', 'Intersections of classes are not supported', 4],
  ['(?U)a', 'The flag `U` is not supported', 0],
  ['(?q', 'Unknown kind of group', 0],
  ['(?#a', 'Unterminated comment', 0],
  ['(?i:\\p{Lu}x)y', '`(?i:…)` beside `\\p{…}` or emoji in brackets is not supported', 4],
  ['a(?i:[\\0-\\ufff0][\\0-\\ufff0])', 'Classes are too large in a part that ignores case', 5],
  ['(a)x(?i:\\1)', 'References in a part that ignores case are not supported', 8],
  ['(?i)x\\Q(\\E**', 'Nothing to repeat', 11],
  [`${'('.repeat(300)}a${')'.repeat(300)}`, 'Groups nested too deep', 200],
  ['a'.repeat(3_000), 'An expression has at most 2,048 characters', 2_048],
])('translating %s: %s', (source, message, position) => {
  const pattern = parseSearchPattern(source, { ignoreCase: false })
  expect(pattern.problem).toEqual({ message, position })
  expect(pattern.literal).toBe(source)
  expect(new RegExp(pattern.expression, pattern.flags).test(source)).toBe(true)
})
