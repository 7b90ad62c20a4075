import { expect, it } from 'vitest'
import { parseJson } from './parse-json.ts'

it.each<[string, unknown]>([
  ['{"a":[1,null]}', { a: [1, null] }],
  ['"a"', 'a'],
  ['', ''],
  ['{"a":', '{"a":'],
  ['[byte array 0x00 (1 bytes)]', '[byte array 0x00 (1 bytes)]'],
])('reads %j', (text, value) => {
  expect(parseJson(text)).toEqual(value)
})

it('makes no prototype of what a model calls one', () => {
  const value = parseJson('{"__proto__":{"polluted":true}}') as object
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect('polluted' in value).toBe(false)
})
