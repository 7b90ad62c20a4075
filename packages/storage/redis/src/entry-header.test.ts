import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeHeader, decodeInfo, encodeHeader, MAX_HEADER_LINE_BYTES } from './entry-header.ts'

const text = fc.string({ unit: 'binary' })
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

test('comes back as it was, whatever follows', () => {
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

test('what is cut or anything else has no header, or no description', () => {
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
  for (const wrong of ['', 'foreign', 'spillway1 a 1\n', 'spillway2 a 1 2 3 4\n', 'spillway1 a -1 2 3 4\n'])
    expect(decodeHeader(Buffer.from(wrong))).toBeUndefined()
})
