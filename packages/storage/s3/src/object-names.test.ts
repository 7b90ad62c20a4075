import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeMetadata, decodeSibling, encodeMetadata, encodeSibling, ObjectNames } from './object-names.ts'

describe.each(['', 'spillway', 'a/b.c'])('with the prefix %j', (prefix) => {
  const names = new ObjectNames(prefix)

  test.each(['call_1', 'tenant-1/session-1/call_1', '-rf/_2e_2e/x'])(
    'the id %s is decoded from its object name',
    (id) => {
      expect(names.idOf(names.entry(id))).toBe(id)
      expect(names.siblingOf(names.entry(id))).toBeUndefined()
      const sibling = names.sibling(id, 'f00d')
      expect(names.siblingOf(sibling)).toEqual({ id, generation: 'f00d' })
      expect(names.idOf(sibling)).toBeUndefined()
      expect(sibling.startsWith(names.siblings(id.slice(0, id.lastIndexOf('/') + 1)))).toBe(true)
    },
  )

  test.each(['', 'A', 'a.txt', 'a//b', 'a/', '/a', '../a', '.index/a.b', 'é'])(
    '%j is not the name of an entry',
    (name) => {
      expect(names.idOf(`${names.entries('')}${name}`)).toBeUndefined()
    },
  )
})

test('names outside the prefix are not entries, even with a common start', () => {
  const names = new ObjectNames('spill')
  for (const name of ['call_1', 'spillway/call_1', 'spill', 'spillcall_1']) expect(names.idOf(name)).toBeUndefined()
  expect(names.siblingOf('spillway/.index/call_1.f')).toBeUndefined()
})

const text = fc.string({ unit: codePoint, maxLength: 60 })

const natural = fc.integer({ min: 0 })

const description = fc.record({
  key: fc.oneof(text, fc.constantFrom('a  b', '=?utf-8?q?x?=', ' ', 'é'.repeat(1_500), 'k'.repeat(1_536))),
  contentType: text,
  storedAt: natural,
  metadata: fc.dictionary(text, text),
})

const metadata = fc.record({
  generation: fc.stringMatching(/^[0-9a-f]{16}$/),
  lastUsedAt: natural,
  size: fc.option(natural, { nil: undefined }),
  hasSibling: fc.boolean(),
  description: fc.option(description, { nil: undefined }),
  lineIndex: fc.option(fc.oneof(fc.base64String({ minLength: 4 }), text, fc.constant('A'.repeat(3_000))), {
    nil: undefined,
  }),
})

test('metadata that fits is read back, and other metadata is in a sibling object', () => {
  fc.assert(
    fc.property(metadata, (one) => {
      const decoded = decodeMetadata(encodeMetadata(one))
      expect(decoded).toMatchObject({ generation: one.generation, lastUsedAt: one.lastUsedAt, size: one.size })
      expect([one.description, undefined]).toContainEqual(decoded?.description)
      expect([one.lineIndex, undefined]).toContain(decoded?.lineIndex)
      const isWhole = decoded?.description !== undefined || one.description === undefined
      const hasLines = decoded?.lineIndex !== undefined || one.lineIndex === undefined
      expect(decoded?.hasSibling).toBe(one.hasSibling || !isWhole || !hasLines)
    }),
  )
})

test('metadata is within the limit of S3, in headers that signatures and servers do not change', () => {
  fc.assert(
    fc.property(metadata, (one) => {
      const fields = Object.entries(encodeMetadata(one))
      expect(fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0)).toBeLessThanOrEqual(2_048)
      for (const [name, value] of fields) {
        expect(name).toMatch(/^spillway(-[a-z]+)?$/)
        expect(value).toMatch(/^[!-~]+(?: [!-~]+)*$/)
        expect(value).not.toContain('=?')
      }
    }),
  )
})

test.each([undefined, {}, { spillway: '{}' }, { 'spillway-generation': 'a' }, { 'spillway-used': '1' }])(
  'the metadata %j do not belong to an entry',
  (fields) => {
    expect(decodeMetadata(fields)).toBeUndefined()
  },
)

test('a sibling has the description, the size and the index', () => {
  fc.assert(
    fc.property(description, natural, fc.option(text, { nil: undefined }), (one, size, lineIndex) => {
      expect(decodeSibling(encodeSibling({ description: one, size, lineIndex }))).toEqual({
        description: one,
        size,
        lineIndex: lineIndex === undefined || lineIndex.isWellFormed() ? lineIndex : expect.any(String),
      })
    }),
  )
})

test.each(['', '{', 'null', '7', '{"size":1}', '{"description":"{}","size":1}'])('%j is not a sibling', (wrong) => {
  expect(decodeSibling(new TextEncoder().encode(wrong))).toBeUndefined()
})
