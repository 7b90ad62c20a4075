import fc from 'fast-check'
import { expect, test } from 'vitest'
import { frame, unframe } from './strands-storage.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test("strandsStorage splits the frames of Strands' offloader, and restores the same bytes", () => {
  for (const type of ['text/plain', 'application/json', 'image/png', 'application/vnd.ms-excel', 'text/x+y'])
    for (const text of ['', 'content', '\0\0']) {
      const data = bytes(`\0${String.fromCharCode(type.length)}${type}${text}`)
      expect(unframe(data)).toEqual({ contentType: type, content: bytes(text) })
      expect(frame(type, bytes(text))).toEqual(data)
    }
})

test.each([
  ['nothing', ''],
  ['a length alone', '\0'],
  ['less than its length says', '\0\ntext/pla'],
  ['no content type', '\0\nplain text'],
  ['no type', '\0\u0005/text'],
  ['a type that is not plain', '\0\u0007té/xtx'],
  ['a type with parameters', '\0\u001ftext/plain; charset=utf-8 and so'],
  ['a longer type than there is', '\u0001\ntext/plain'],
  ['a type that stands for none', `\0${String.fromCharCode(24)}application/octet-stream`],
])('strandsStorage treats bytes with %s as content', (_what, text) => {
  expect(unframe(bytes(text))).toEqual({ contentType: 'application/octet-stream', content: bytes(text) })
})

test('strandsStorage returns any bytes unchanged', () => {
  const start = fc.constantFrom('', '\0', '\0\n', '\0\ntext/plain', '\0\u0003a/b', '\0\u0003a/\u00fc', '\0\u00c8a/b')
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 300 }), (beginning, rest) => {
      const data = Uint8Array.from([...bytes(beginning), ...rest])
      const { contentType, content } = unframe(data)
      expect(frame(contentType, content)).toEqual(data)
    }),
    { numRuns: 500 },
  )
})
