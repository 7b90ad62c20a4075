import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeHeader,
  decodeInfo,
  encodeHeader,
  entryKey,
  indexKey,
  Keys,
  MAX_HEADER_LINE_BYTES,
  pieceKey,
} from './keys.ts'

const name = fc.stringMatching(/^[a-z0-9_-]{1,20}$/)

const path = fc.array(name, { maxLength: 4 }).map((names) => names.join('/'))

const reference = fc.stringMatching(/^[a-z0-9_]{1,20}$/)

const prefix = fc.stringMatching(/^[\w.:/-]{1,20}$/)

const nonce = fc.stringMatching(/^[a-z0-9]{1,8}-[a-f0-9]{18}$/)

test('a key of a scope decodes to its parts', () => {
  fc.assert(
    fc.property(prefix, path, reference, nonce, fc.nat(), (of, scope, name, one, piece) => {
      const keys = new Keys(of)
      const place = keys.place(scope === '' ? name : `${scope}/${name}`)
      expect(place).toMatchObject({ tag: keys.tag(scope), reference: name })
      expect(keys.parse(indexKey(place.tag))).toEqual({ key: indexKey(place.tag), path: scope })
      expect(keys.parse(entryKey(place))).toEqual({ key: entryKey(place), path: scope, reference: name })
      const key = pieceKey(place, one, piece)
      expect(keys.parse(key)).toEqual({ key, path: scope, writer: `${name}:${one}` })
    }),
  )
})

test('keys of different prefixes and scopes differ, and none belongs to another prefix', () => {
  // Strings of few characters, so that one prefix often begins with another.
  const short = fc.stringMatching(/^[a:/]{1,4}$/)
  const few = fc.array(fc.constantFrom('a', 'aa'), { maxLength: 2 }).map((names) => names.join('/'))
  fc.assert(
    fc.property(short, few, short, few, (one, first, other, second) => {
      fc.pre(one !== other || first !== second)
      expect(new Keys(one).tag(first)).not.toBe(new Keys(other).tag(second))
      if (one !== other) expect(new Keys(one).parse(indexKey(new Keys(other).tag(second)))).toBeUndefined()
    }),
  )
})

test.each([
  '',
  'foreign',
  '{p}:scopes',
  '{p}:entered',
  '{p:a}:foreign',
  '{p:a}:entry:a:b',
  '{p:a}:piece:a',
  '{p:a}:evicted',
  '{p:a}:writers',
  '{p:a}index',
])('%j is not a key of a scope', (key) => {
  expect(new Keys('p').parse(key)).toBeUndefined()
})

const text = fc.string({ unit: codePoint })

const description = fc.record({
  key: text,
  contentType: text,
  storedAt: fc.nat(),
  metadata: fc.dictionary(text, text),
})

const content = fc.record({
  nonce: fc.stringMatching(/^[a-z0-9]{1,10}-[a-f0-9]{18}$/),
  size: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  pieceBytes: fc.nat(),
})

const lines = fc.option(fc.stringMatching(/^[a-z0-9,]{1,50}$/), { nil: undefined })

test('a stored value is read back with any following bytes', () => {
  fc.assert(
    fc.property(description, content, lines, fc.uint8Array(), (described, of, lineIndex, rest) => {
      const encoded = encodeHeader(described, of, lineIndex)
      const header = decodeHeader(Buffer.concat([encoded, rest]))
      expect(header).toMatchObject({ ...of, length: encoded.length })
      expect(encoded.indexOf('\n')).toBeLessThan(MAX_HEADER_LINE_BYTES)
      const info = header && decodeInfo(Buffer.concat([encoded, rest]), header, 7)
      expect(info).toEqual({
        ...described,
        size: of.size,
        lastUsedAt: 7,
        ...(lineIndex === undefined ? {} : { lineIndex }),
      })
    }),
  )
})

test('incomplete and other values have no header or no description', () => {
  const encoded = encodeHeader(
    { key: 'key', contentType: 'text/plain', storedAt: 1, metadata: {} },
    { nonce: 'a-b', size: 3, pieceBytes: 0 },
    'lines',
  )
  for (let length = 0; length < encoded.length; length += 1) {
    const cut = encoded.subarray(0, length)
    const header = decodeHeader(cut)
    expect(header && decodeInfo(cut, header, 1)).toBeUndefined()
  }
  for (const wrong of ['', 'foreign', 'spillway1 a 1\n', 'spillway1 a -1 2 3 4\n'])
    expect(decodeHeader(Buffer.from(wrong))).toBeUndefined()
})
