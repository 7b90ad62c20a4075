import fc from 'fast-check'
import { expect, test } from 'vitest'
import { itemsAt, JsonTextError, membersAt } from './json-spans.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textAt = (bytes: Uint8Array, { start, end }: { readonly start: number; readonly end: number }): string =>
  new TextDecoder().decode(bytes.subarray(start, end))

test('finds every item of any array, and every member of any object, however they are written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', 4), (value, indent) => {
      const bytes = bytesOf(JSON.stringify(value, undefined, indent))
      if (Array.isArray(value)) {
        const { items, end } = itemsAt(bytes, 0)
        expect(items.map((item) => JSON.parse(textAt(bytes, item)) as unknown)).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
        expect(end).toBe(bytes.length)
      } else if (typeof value === 'object' && value !== null) {
        const { members, end } = membersAt(bytes, 0)
        const read = members.map((member) => [member.key, JSON.parse(textAt(bytes, member.value))])
        expect(read).toEqual(Object.entries(JSON.parse(JSON.stringify(value)) as object))
        for (const { start, value: span } of members) expect(textAt(bytes, { start, end: span.end })).toMatch(/^"/)
        expect(end).toBe(bytes.length)
      }
    }),
    { numRuns: 500 },
  )
})

test('goes past escaped quotes and backslashes', () => {
  const bytes = bytesOf(String.raw`["a\"b", "c\\", "\\\"", "]"]`)
  expect(itemsAt(bytes, 0).items.map((item) => textAt(bytes, item))).toEqual([
    String.raw`"a\"b"`,
    String.raw`"c\\"`,
    String.raw`"\\\""`,
    '"]"',
  ])
})

test.each(['[1 2]', '[', '["a', '[1,]', '[{]', '[,1]'])('ends in an error for %s', (text) => {
  expect(() => itemsAt(bytesOf(text), 0)).toThrow(JsonTextError)
})

test.each(['{"a" 1}', '{a:1}', '{"a":}', '{"a":1', String.raw`{"\x":1}`])('ends in an error for %s', (text) => {
  expect(() => membersAt(bytesOf(text), 0)).toThrow(JsonTextError)
})
