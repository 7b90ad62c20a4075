import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseExactJson, plainNumber } from './exact-json.ts'

it.each([
  '{"id":1790123456789012345,"n":[-12345678901234567890]}',
  '{"x":1e400,"__proto__":{"id":9007199254740993}}',
  '["\\\\",12345678901234567890]',
  '["\\"",1790123456789012345]',
  '12345678901234567890',
])('writes %s again as it was', (text) => {
  expect(JSON.stringify(parseExactJson(text))).toBe(text)
})

it('reads anything else as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, isLong) => {
      const text = JSON.stringify([value, isLong ? '1234567890123456789' : 1])
      expect(parseExactJson(text)).toEqual(JSON.parse(text))
    }),
  )
  expect(() => parseExactJson('[12345678901234567890,]')).toThrow(SyntaxError)
})

it('gives back the number, as near as it can be', () => {
  const [big, text] = parseExactJson('[12345678901234567890,"1"]') as [unknown, unknown]
  expect([plainNumber(big), plainNumber(text), plainNumber(2)]).toEqual([12345678901234567000, '1', 2])
})
