import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeDescription, encodeDescription } from './entry-description.ts'

const text = fc.string({ unit: codePoint })
const description = fc.record({
  key: text,
  contentType: text,
  storedAt: fc.integer({ min: 0 }),
  metadata: fc.dictionary(text, text),
})

test('an encoded description decodes to itself, with any key and metadata', () => {
  fc.assert(
    fc.property(description, fc.boolean(), (one, ascii) => {
      const encoded = encodeDescription(one, { ascii })
      expect(encoded.isWellFormed()).toBe(true)
      expect(decodeDescription(encoded)).toEqual(one)
    }),
  )
})

test('an encoded description is printable ASCII on request', () => {
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
])('a description cannot be decoded from %s', (wrong) => {
  expect(decodeDescription(wrong)).toBeUndefined()
})
