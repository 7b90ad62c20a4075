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
  ['only a length', '\0'],
  ['fewer bytes than the stated length', '\0\ntext/pla'],
  ['no content type', '\0\nplain text'],
  ['a content type without its first part', '\0\u0005/text'],
  ['a content type with other characters', '\0\u0007té/xtx'],
  ['a type with parameters', '\0\u001ftext/plain; charset=utf-8 and so'],
  ['a length above 255', '\u0001\ntext/plain'],
  ['the default content type', `\0${String.fromCharCode(24)}application/octet-stream`],
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
