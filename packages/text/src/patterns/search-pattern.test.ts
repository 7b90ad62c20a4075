import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generatedMatches, isQuick, LOOKS, QUANTIFIERS, type GeneratedPattern } from '../../test/generated-patterns.ts'
import { escapeExpression } from '../shared/escape-expression.ts'
import { parseSearchPattern } from './search-pattern.ts'

test('parsing an expression finds the strings that each match contains, the cost of a search, and the expressions to run', () => {
  expect(parseSearchPattern('^ERROR.*time(?:out|d out)$', { ignoreCase: false })).toEqual({
    text: '^ERROR.*time(?:out|d out)$',
    ignoreCase: false,
    expression: '^ERROR.*time(?:out|d out)$',
    flags: 's',
    required: [['timeout', 'timed out'], ['ERROR']],
    cost: { degree: 1, factor: expect.any(Number) },
    textExpression: '^ERROR[^\\n]*time(?:out|d out)$',
    textFlags: 'sm',
  })
})

test('each match of a plain text contains the whole text', () => {
  expect(parseSearchPattern('connection refused', { ignoreCase: false })).toMatchObject({
    required: [['connection refused']],
  })
})

test('case is ignored if an option or the pattern says so', () => {
  for (const pattern of [
    parseSearchPattern('Foo.*BAR', { ignoreCase: true }),
    parseSearchPattern('(?i)Foo.*BAR', { ignoreCase: false }),
  ]) {
    expect(pattern).toMatchObject({ ignoreCase: true, expression: 'Foo.*BAR', flags: 'is', textFlags: 'ism' })
    expect(pattern.required).toEqual([['foo'], ['bar']])
  }
})

test('an invalid expression is searched literally, and the result has the reason', () => {
  expect(parseSearchPattern('open(path, "r', { ignoreCase: false })).toMatchObject({
    problem: 'Unterminated group',
    expression: 'open\\(path, "r',
    required: [['open(path, "r']],
    cost: { degree: 1 },
  })
  expect(parseSearchPattern('Öffne(', { ignoreCase: true })).toMatchObject({ required: [['ffne(']], flags: 'is' })
})

test('the flag u is set only if needed', () => {
  const flagsOf = (text: string): string => parseSearchPattern(text, { ignoreCase: false }).flags
  expect(['\\p{Lu}', '[😀-😂]', '\\P{L}'].map(flagsOf)).toEqual(['su', 'su', 'su'])
  expect(['\\u{e9}', '😀+', 'é', '\\w'].map(flagsOf)).toEqual(['s', 's', 's', 's'])
})

test('a text that is too long for an expression is searched literally', () => {
  const text = 'a(b\n'.repeat(300_000)
  const { expression, textExpression, problem, required, cost } = parseSearchPattern(text, { ignoreCase: false })
  expect(problem).toBe('An expression has at most 2,048 characters')
  expect(expression).toBe('a\\(b\n'.repeat(300_000))
  expect(textExpression).toBe('a\\(b[]'.repeat(300_000))
  expect(required).toBeUndefined()
  expect(cost.degree).toBe(1)
  const [[start]] = parseSearchPattern('A(b'.repeat(1_000), { ignoreCase: true }).required as [[string]]
  expect('a(b'.repeat(1_000).startsWith(start)).toBe(true)
})

const text = fc.string({ unit: fc.constantFrom(...Array.from('\\^$.*+?()[]{}|/-,#\n aβ😀')) })

test.each(['', 'u', 's', 'm'])('an escaped text matches itself and nothing else, with the flags "%s"', (flags) => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const whole = new RegExp(`^(?:${escapeExpression(one)})$`, flags.replace('m', ''))
      expect(whole.test(one)).toBe(true)
      expect(whole.test(other)).toBe(one === other)
      const found = new RegExp(escapeExpression(one), flags).exec(`${other}${one}`)
      expect(found?.[0]).toBe(one)
      expect(found?.index).toBe(`${other}${one}`.indexOf(one))
    }),
  )
})

const parts = {
  atoms: [
    'a',
    'b',
    'a',
    'b',
    'ab',
    'ba',
    'aab',
    'k',
    'aK',
    'é',
    '.',
    '\\w',
    '[ab]',
    '[a-d]',
    '[kK]',
    '[^a]',
    'ſ',
    '\\ufffd',
  ],
  assertions: ['^', '$', '\\b'],
  quantifiers: QUANTIFIERS,
  groups: LOOKS,
}

const withReference = ({ source, sample }: GeneratedPattern): GeneratedPattern => ({
  source: `(${source})b\\1`,
  sample: `${sample}b${sample}`,
})

const withWord = ([before, behind]: readonly [GeneratedPattern, GeneratedPattern]): GeneratedPattern => ({
  source: `(?:${before.source})(?:ab|kk)(?:${behind.source})`,
  sample: `${before.sample}kk${behind.sample}`,
})

const patterns = fc.oneof(
  fc.tuple(generatedMatches(parts), generatedMatches(parts)).map(withWord),
  generatedMatches(parts),
  generatedMatches(parts).map(withReference),
  generatedMatches({ ...parts, groups: LOOKS }).map(({ source, sample }) => ({ source: `${source}\\p{L}?`, sample })),
)

const around = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'aab', 'k', 'K', 'A', 'aB', 'é', ' ', 'ſ', '\u212a', '\ufffd'), {
    maxLength: 6,
  })
  .map((words) => words.join(''))

const texts = fc.tuple(patterns, around, around, fc.boolean()).map(([{ source, sample }, before, behind, isUpper]) => ({
  source,
  text: before + (isUpper ? sample.toUpperCase() : sample) + behind,
}))

test('each match contains one string of every required set', () => {
  const runs = propertyRuns(500, 15_000)
  let checked = 0
  fc.assert(
    fc.property(texts, fc.boolean(), ({ source, text }, ignoreCase) => {
      const pattern = parseSearchPattern(source, { ignoreCase })
      const { required, expression, flags } = pattern
      if (required === undefined || !isQuick(pattern, text)) return
      expect(required.length).toBeGreaterThan(0)
      expect(required.length).toBeLessThanOrEqual(4)
      for (const set of required) {
        expect(set.length).toBeGreaterThan(0)
        expect(set.length).toBeLessThanOrEqual(16)
        for (const string of set) expect(string).toMatch(/^[^\n\ufffd]+$/)
        if (pattern.ignoreCase) expect(set.join('')).toMatch(/^[\0-@[-\x7f]*$/)
      }
      for (const [match] of text.matchAll(new RegExp(expression, `${flags}g`))) {
        checked++
        const folded = pattern.ignoreCase ? match.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : match
        for (const set of required) {
          expect(
            set.some((string) => folded.includes(string)),
            `${match} by ${set.join()}`,
          ).toBe(true)
        }
      }
    }),
    runs,
  )
  expect(checked).toBeGreaterThan(runs.numRuns / 20)
})

test.each([
  ['ERROR.*timeout', ['timeout']],
  ['(GET|POST) /v1/\\S+ 5\\d\\d', ['GET /v1/', 'POST /v1/']],
  ['(foo|bar)\\s+\\w+', ['foo', 'bar']],
  ['colou?r', ['color', 'colour']],
  ['status=5\\d\\d', ['status=5']],
  ['"name":\\s*"[^"]*"', ['"name":']],
  ['[A-Z][a-z]+(?:Error|Exception)', ['Error', 'Exception']],
  ['\\bfoo\\b-bar$', ['foo-bar']],
  ['(?:abc)+', ['abc']],
  ['[ab]c|dd*', undefined],
  ['(a+a?)*b', ['b']],
  ['x*', undefined],
  ['(?=foo).*', undefined],
  ['(abc|\\d+)', undefined],
  ['\\p{Lu}one', ['one']],
])('%s requires %j', (source, expected) => {
  const { required } = parseSearchPattern(source, { ignoreCase: false })
  expect(required?.[0]?.toSorted()).toEqual(expected?.toSorted())
})

test('every string of a sequence is required, the longest first', () => {
  const setsOf = (source: string): unknown => parseSearchPattern(source, { ignoreCase: false }).required
  expect(setsOf('auth.*DELETE.*status=5')).toEqual([['status=5'], ['DELETE'], ['auth']])
  expect(setsOf('x{2}\\d(?:GET|POST)\\s+a')).toEqual([['GET', 'POST'], ['xx']])
  expect(setsOf('foo.*foobar.*oo')).toEqual([['foobar']])
})

test('required strings are in lower case and have only ASCII letters if case is ignored', () => {
  expect(parseSearchPattern('GRÖßE-Ordnung', { ignoreCase: true }).required).toEqual([['e-ordnung'], ['gr']])
})

test('the time for a huge repeat of an assertion does not depend on the number of repetitions', () => {
  const pattern = parseSearchPattern('((?=a){99999999}|(?:){99999999}){99999999}b{99}', { ignoreCase: false })
  expect(pattern.problem).toBeUndefined()
})
