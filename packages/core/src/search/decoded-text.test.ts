import { afterEach, expect, it } from 'vitest'
import { contentCache, DEFAULT_CONTENT_CACHE_BYTES, setContentCacheBytes } from '../storage/cached-content.ts'
import { decodedText } from './decoded-text.ts'

afterEach(() => setContentCacheBytes(DEFAULT_CONTENT_CACHE_BYTES))

const contentOf = (text: string): Uint8Array => new Uint8Array(new TextEncoder().encode(text))

it('decodes content once it is searched a second time, and remembers the text', () => {
  const content = contentOf('one\r\ntwo')
  expect(decodedText(content)).toBeUndefined()
  expect(decodedText(content)).toMatchObject({ text: 'one\r\ntwo', isAscii: true, hasReturns: true })
  expect(decodedText(content.subarray(0))).toBe(decodedText(content))
})

it('gives one unit for each byte', () => {
  const content = contentOf('é')
  decodedText(content)
  expect(decodedText(content)).toMatchObject({ isAscii: false, hasReturns: false })
  expect(decodedText(content)?.text).toHaveLength(2)
})

it('counts as what a process remembers of content, and goes with it', () => {
  const content = contentOf('x'.repeat(10_000))
  decodedText(content)
  const before = contentCache.bytes
  decodedText(content)
  expect(contentCache.bytes).toBe(before + 10_000)
  setContentCacheBytes(0)
  expect(contentCache.bytes).toBe(0)
  expect(decodedText(content)).toBeUndefined()
})

it('takes no part of a content for the whole', () => {
  const content = contentOf('one two')
  for (let turn = 0; turn < 3; turn++) expect(decodedText(content.subarray(0, 3))).toBeUndefined()
})
