import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { linesWith } from './lines-with.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

it('finds the lines that contain all strings, in any order of search', () => {
  const word = fc.constantFrom('ab', 'b', 'abc', 'x', 'y', '')
  const texts = fc
    .array(fc.array(word, { maxLength: 4 }), { maxLength: 20 })
    .map((lines) => lines.map((words) => words.join('')).join('\n'))
  const needles = fc.uniqueArray(fc.constantFrom('ab', 'bc', 'x', 'y', 'xy'), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(texts, needles, (text, [first, ...others]) => {
      const bytes = encode(text)
      const found = linesWith(bytes, 0, encode(first!), others.map(encode))
      const expected = text.split('\n').filter((line) => [first!, ...others].every((needle) => line.includes(needle)))
      expect(found.map(({ start, end }) => new TextDecoder().decode(bytes.subarray(start, end)))).toEqual(expected)
    }),
    propertyRuns(670, 20_000),
  )
})

it('begins at the given offset', () => {
  expect(linesWith(encode('ab\nab\n'), 3, encode('ab'), [])).toEqual([{ start: 3, end: 5 }])
})
