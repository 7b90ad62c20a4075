import fc from 'fast-check'
import { parseExactJson } from '@spillway/core/adapter'
import { expect, test } from 'vitest'
import { AsciiGuess, jsonStyleOf, writeJson } from './json-style.ts'

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
