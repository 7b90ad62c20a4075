import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RequiredStrings } from './match-lines.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

it('RequiredStrings finds the lines that contain a string of each set, for any sample of the content', () => {
  const word = fc.constantFrom('ab', 'b', 'abc', 'x', 'y', 'B', 'Xy', 'é', 'averylongword', 'averylongwore', '')
  const texts = fc
    .array(fc.array(word, { maxLength: 4 }), { maxLength: 20 })
    .map((lines) => lines.map((words) => words.join('')).join('\n'))
  const string = fc.constantFrom('ab', 'bc', 'x', 'y', 'xy', 'averylongword')
  const sets = fc.array(fc.uniqueArray(string, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(texts, sets, texts, fc.boolean(), (text, required, sample, ignoreCase) => {
      const bytes = encode(text)
      const found = new RequiredStrings(required, ignoreCase, encode(sample)).lines(bytes, 0)
      const holds = (line: string): boolean =>
        required.every((set) => set.some((one) => (ignoreCase ? line.toLowerCase() : line).includes(one)))
      expect(found.map(({ start, end }) => new TextDecoder().decode(bytes.subarray(start, end)))).toEqual(
        text.split('\n').filter(holds),
      )
    }),
    propertyRuns(670, 20_000),
  )
})

it('RequiredStrings starts at the given offset', () => {
  const strings = new RequiredStrings([['ab']], false, encode(''))
  expect(strings.lines(encode('ab\nab\n'), 3)).toEqual([{ start: 3, end: 5 }])
})

it('RequiredStrings compares the first 32 bytes of longer strings, so that a hostile text takes limited time', () => {
  const strings = new RequiredStrings([['a'.repeat(40)]], false, encode(''))
  expect(strings.lines(encode('a'.repeat(31)), 0)).toEqual([])
  expect(strings.lines(encode('a'.repeat(32)), 0)).toEqual([{ start: 0, end: 32 }])
})
