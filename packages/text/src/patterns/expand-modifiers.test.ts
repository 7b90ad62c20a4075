import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { searchCounting } from '../../test/counting-matcher.ts'
import { generatedMatches, isQuick, LOOKS, QUANTIFIERS } from '../../test/generated-patterns.ts'
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

// The engine of JavaScript is no reference: Node.js 22 does not know such groups, and in Node.js 24
// `(?i:[^B]??a)` matches `ba`.
test('groups that change the case match as in ECMAScript', () => {
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
])('%s becomes %s', (source, expression, flags) => {
  expect(parseSearchPattern(source, { ignoreCase: false })).toMatchObject({ expression, flags })
})
