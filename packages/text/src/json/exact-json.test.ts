import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseExactJson, plainNumber, rewriteInexactNumbers } from './exact-json.ts'

it.each([
  '{"id":1790123456789012345,"n":[-12345678901234567890]}',
  '{"x":1e400,"__proto__":{"id":9007199254740993}}',
  '["\\\\",12345678901234567890]',
  '["\\"",1790123456789012345]',
  '12345678901234567890',
  '[10.00,1.0,-0,-0.0,1e5,1E-7,0.0000001,0.1234567890123456789,1234567.12345678901]',
  '{"a":9007199254740993.5,"b":[5e-324,1e999]}',
])('exact JSON writes %s unchanged', (text) => {
  expect(JSON.stringify(parseExactJson(text))).toBe(text)
})

it('exact JSON reads all other values as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, isLong) => {
      const text = JSON.stringify([value, isLong ? '1234567890123456789' : 1])
      expect(parseExactJson(text)).toEqual(JSON.parse(text))
    }),
  )
  expect(() => parseExactJson('[12345678901234567890,]')).toThrow(SyntaxError)
})

it('exact JSON writes all numbers unchanged', () => {
  const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/)
  fc.assert(
    fc.property(fc.array(digits), (numbers) => {
      const text = `{"a":[${numbers.join(',')}],"1.0":"1.0"}`
      expect(JSON.stringify(parseExactJson(text))).toBe(text)
    }),
  )
})

it('an exact number converts to the nearest JavaScript number', () => {
  const [big, text] = parseExactJson('[12345678901234567890,"1"]') as [unknown, unknown]
  expect([plainNumber(big), plainNumber(text), plainNumber(2)]).toEqual([12345678901234567000, '1', 2])
})

it('exact JSON preserves exactly the numbers that JSON.parse would change', () => {
  const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), digits)), (fields) => {
      const text = `[${fields.map(([name, number]) => `{${JSON.stringify(name)}:${number}}`).join(',')}]`
      const numbers: string[] = []
      const marked = rewriteInexactNumbers(text, (number) => `"${numbers.push(number)}"`)
      expect(numbers).toEqual(fields.map(([, number]) => number).filter((number) => String(Number(number)) !== number))
      expect(JSON.parse(marked)).toHaveLength(fields.length)
    }),
  )
  expect(rewriteInexactNumbers('[1, 2, "1.0', () => 'x')).toBe('[1, 2, "1.0')
})
