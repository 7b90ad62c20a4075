import { parseExactJson } from '@spillway/core/adapter'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AsciiGuess, itemsAt, jsonStyleOf, JsonTextError, membersAt, writeJson } from './json-spans.ts'

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

/** As Python's json.dumps writes it. */
const SPACED = '{"role": "user", "content": [{"type": "text", "text": "a: b, c"}], "n": [1, 2]}'

test.each([
  ['on one line', '{"role":"user","content":"a"}', ''],
  ['on one line with blanks', SPACED, ''],
  ['indented', '{\n  "role": "user",\n  "content": [\n    1\n  ]\n}', ''],
  ['indented by tabs', '{\n\t"role": "user"\n}', ''],
  ['indented in a document', '{\n      "role": "user",\n      "content": "a"\n    }', '    '],
  ['with line ends of Windows', '{\r\n    "role": "user"\r\n  }', '  '],
])('writes values as they were: %s', (_, text, margin) => {
  expect(writeJson(JSON.parse(text), jsonStyleOf(text, margin))).toBe(text)
})

test('writes what reads as the same, in any style', () => {
  const style = fc.record({
    indent: fc.constantFrom(undefined, '  ', '\t'),
    margin: fc.constantFrom('', '  '),
    isSpaced: fc.boolean(),
    isAscii: fc.boolean(),
    eol: fc.constantFrom('\n', '\r\n'),
  })
  fc.assert(
    fc.property(fc.jsonValue(), style, (value, one) => {
      expect(JSON.parse(writeJson(value, one))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test.each([
  ['{"a":"\\u00e9"}', '{"b":"\\u00f6\\ud83d\\ude00"}'],
  ['{"a":"\\u00e9","c":"é"}', '{"b":"ö😀"}'],
  ['{"a":"\\u001b"}', '{"b":"ö😀"}'],
  ['{"a": "e"}', '{"b": "\\u00f6\\ud83d\\ude00"}'],
  ['{"a":"e"}', '{"b":"ö😀"}'],
])('writes characters as escapes where the file does: %s', (text, written) => {
  const guess = new AsciiGuess()
  guess.add(Buffer.from(text))
  expect(writeJson({ b: 'ö😀' }, guess.complete(jsonStyleOf(text)))).toBe(written)
})

test.each(['{"id": 1915883588174806058, "list": [10.00]}', '{"id":1915883588174806058,"list":[10.00]}'])(
  'writes numbers with the digits that they were read with: %s',
  (text) => {
    expect(writeJson(parseExactJson(text), jsonStyleOf(text))).toBe(text)
  },
)
