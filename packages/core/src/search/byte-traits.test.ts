import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byteTraits } from './byte-traits.ts'

it.each([
  ['status=5\\d\\d', true, false],
  ['OOMKilled|code=E7731|panic: runtime', true, false],
  ['^FATAL.*code=E7731$', true, true],
  ['"name":"[^"]*"', true, true],
  ['[a-z]+\\.ts', true, false],
  ['a.b', false, true],
  ['a.+?b', false, true],
  ['(?:.+){2}', false, true],
  ['.+x.+', false, true],
  ['[^"]{3}', false, true],
  ['\\s+', false, true],
  ['é', false, true],
  ['[é]', false, true],
  ['[^\\s]*', false, true],
  ['(?=a)', false, true],
  ['\\x41', false, true],
])('%s: bytes alone %s, line ends matter %s', (expression, isSingleByte, seesLineEnds) => {
  expect(byteTraits(expression)).toEqual({ isSingleByte, seesLineEnds })
})

it('claims that bytes can be matched only if they give the matches of the text', () => {
  const runs = propertyRuns(1_670, 50_000)
  const atoms = ['a', 'b', '.', '[^a]', '[ab]', '\\W', '\\w', '\\d', '\\b', '^', '$', '(?:a|b)', '(a.*)', '1']
  const quantifiers = ['', '', '*', '+', '?', '{2}', '*?', '+?']
  const expressions = fc
    .array(fc.tuple(fc.constantFrom(...atoms), fc.constantFrom(...quantifiers)), { minLength: 1, maxLength: 5 })
    .map((parts) =>
      parts.map(([atom, quantifier]) => (/^(?:\^|\$|\\b)$/.test(atom) ? atom : atom + quantifier)).join(''),
    )
  const texts = fc
    .array(fc.constantFrom('a', 'b', '1', 'é', '東', '🚚', ' ', '\u00a0'), { maxLength: 8 })
    .map((all) => all.join(''))
  let checked = 0
  fc.assert(
    fc.property(expressions, texts, fc.boolean(), (expression, text, ignoreCase) => {
      if (!byteTraits(expression).isSingleByte) return
      checked++
      const regex = new RegExp(expression, ignoreCase ? 'is' : 's')
      const bytes = new TextEncoder().encode(text)
      const found = regex.exec(text)
      const inBytes = regex.exec(String.fromCharCode(...bytes))
      expect(inBytes?.index, `${expression} in ${text}`).toBe(
        found === null ? undefined : new TextEncoder().encode(text.slice(0, found.index)).length,
      )
    }),
    runs,
  )
  expect(checked).toBeGreaterThan(runs.numRuns / 15)
})
