import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  assertChunks,
  assertContent,
  assertContentType,
  assertKey,
  assertMetadata,
  assertRange,
  isContentType,
} from './assert-input.ts'
import { StorageError } from './storage-error.ts'

test('a key is any string of up to 65,536 characters', () => {
  for (const key of ['', '\u0000', '\ud800', 'k'.repeat(65_536)]) expect(() => assertKey(key)).not.toThrow()
  for (const key of [undefined, null, 1, {}, 'k'.repeat(65_537)])
    expect(() => assertKey(key)).toThrow(expect.objectContaining({ code: 'invalid-key' }))
})

test('content is bytes, and the mistake says how to get them', () => {
  expect(() => assertContent(new Uint8Array(0))).not.toThrow()
  expect(() => assertContent('text')).toThrow(TypeError)
  expect(() => assertContent('text')).toThrow('TextEncoder')
})

test('a stream is an async iterable', () => {
  const chunks = (async function* () {
    yield new Uint8Array(1)
  })()
  expect(() => assertChunks(chunks)).not.toThrow()
  expect(() => assertChunks(new ReadableStream())).not.toThrow()
  for (const wrong of [undefined, null, 'text', {}, [new Uint8Array(1)], new Uint8Array(1)])
    expect(() => assertChunks(wrong)).toThrow('chunks must be an async iterable')
})

test.each(['text/plain', 'image/svg+xml', 'text/html; charset="utf-8"', `a/${'b'.repeat(253)}`])(
  'takes %s for a content type',
  (contentType) => {
    expect(() => assertContentType(contentType)).not.toThrow()
  },
)

test.each([
  '',
  'text',
  '/',
  'a/',
  '/b',
  'a/b/c',
  'text/plain\n',
  'text/plain;\r\nX: 1',
  'text/plain\r\n;charset=utf-8',
  'text/plain\u00a0; charset=utf-8',
  ' a/b',
  `a/${'b'.repeat(254)}`,
  1,
  null,
])('refuses %j as a content type', (contentType) => {
  expect(() => assertContentType(contentType)).toThrow(TypeError)
})

test('a content type that is taken can stand in a header', () => {
  const part = fc.constantFrom(
    'text',
    '/',
    'plain',
    ';',
    ' ',
    '\t',
    '\r',
    '\n',
    '\0',
    '\u00a0',
    '\u2028',
    '\ud800',
    'é',
    'a="b"',
  )
  const contentType = fc.oneof(
    fc.array(part).map((parts) => parts.join('')),
    fc.tuple(part, part, part).map((parts) => `text/plain${parts.join('')}`),
  )
  fc.assert(
    fc.property(contentType, (text) => {
      fc.pre(isContentType(text))
      expect(text).toMatch(/^[\x20-\x7e]+$/)
      expect(() => new Headers({ 'content-type': text })).not.toThrow()
    }),
    propertyRuns(300, 3_000),
  )
})

test('content types are checked in linear time', () => {
  expect(() => assertContentType(`a/b${' '.repeat(250)}\n`)).toThrow(TypeError)
})

test.each([
  [[], 'metadata'],
  [null, 'metadata'],
  [{ Tool: 'a' }, '"Tool"'],
  [{ tool: 1 }, 'metadata.tool'],
  [{ tool: 'x'.repeat(2_045) }, '2048 bytes'],
  [{ tool: 'é'.repeat(1_023) }, '2048 bytes'],
])('refuses the metadata %j', (metadata, words) => {
  expect(() => assertMetadata(metadata)).toThrow(TypeError)
  expect(() => assertMetadata(metadata)).toThrow(words)
})

test('metadata is a few short strings', () => {
  for (const metadata of [undefined, {}, { tool: '' }, { 'tool-call-id': 'é\n' }, { tool: 'x'.repeat(2_044) }])
    expect(() => assertMetadata(metadata)).not.toThrow()
})

test('a range is whole bytes from the start', () => {
  expect(() => assertRange({ offset: 0, length: 0 })).not.toThrow()
  for (const range of [{ offset: -1, length: 1 }, { offset: 0, length: 2 ** 53 }, { offset: 0 }, null, undefined, 5])
    expect(() => assertRange(range)).toThrow(TypeError)
})

test('mistakes about bytes, types, metadata and ranges are no failures of the storage', () => {
  for (const check of [
    () => assertContent(1),
    () => assertContentType(1),
    () => assertMetadata(1),
    () => assertRange(1),
  ]) {
    const error = caught(check)
    expect(StorageError.isInstance(error)).toBe(false)
    expect(error).toBeInstanceOf(TypeError)
  }
})

function caught(run: () => void): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('was not refused')
}
