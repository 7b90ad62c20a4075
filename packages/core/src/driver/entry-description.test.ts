import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeDescription, encodeDescription } from './entry-description.ts'

const text = fc.string({ unit: 'binary' })
const description = fc.record({
  key: text,
  contentType: text,
  storedAt: fc.integer({ min: 0 }),
  metadata: fc.dictionary(text, text),
})

test('comes back as it was, with any key and metadata', () => {
  fc.assert(
    fc.property(description, fc.boolean(), (one, ascii) => {
      const encoded = encodeDescription(one, { ascii })
      expect(encoded.isWellFormed()).toBe(true)
      expect(decodeDescription(encoded)).toEqual(one)
    }),
  )
})

test('is printable ASCII where that is asked for', () => {
  fc.assert(
    fc.property(description, (one) => {
      expect(encodeDescription(one, { ascii: true })).toMatch(/^[ -~]*$/)
    }),
  )
})

test.each([
  '',
  '{',
  'null',
  '[]',
  '7',
  '{}',
  '{"key":1,"contentType":"a","storedAt":1,"metadata":{}}',
  '{"key":"k","contentType":"a","storedAt":"1","metadata":{}}',
  '{"key":"k","contentType":"a","storedAt":1,"metadata":[]}',
  '{"key":"k","contentType":"a","storedAt":1,"metadata":{"a":1}}',
])('%s is no description', (wrong) => {
  expect(decodeDescription(wrong)).toBeUndefined()
})
