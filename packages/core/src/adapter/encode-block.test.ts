import { expect, it } from 'vitest'
import type { ContentBlock } from '@spillway/text/internal'
import { encodeBlock, type EncodedBlock } from './encode-block.ts'

const data = new Uint8Array([1, 2, 3])

it.each<[ContentBlock, string]>([
  [{ type: 'text', text: '' }, ''],
  [{ type: 'json', value: { a: [1] } }, '{"a":[1]}'],
  [{ type: 'json', value: undefined }, 'null'],
  [{ type: 'unknown', value: 'a' }, '"a"'],
  [{ type: 'link', url: 'https://example.com/a', name: 'a' }, 'https://example.com/a'],
  [{ type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' }, 'https://example.com/a.png'],
])('writes %o as text', (block, text) => {
  expect(encodeBlock(block)).toEqual({ type: 'text', text })
})

it.each<[ContentBlock, EncodedBlock]>([
  [
    { type: 'image', mediaType: 'image/png', data },
    { type: 'image', mediaType: 'image/png', data: 'AQID', filename: 'content.png' },
  ],
  [
    { type: 'document', mediaType: 'application/pdf', name: 'a b.pdf', data },
    { type: 'document', mediaType: 'application/pdf', data: 'AQID', filename: 'a b.pdf' },
  ],
  [
    { type: 'audio', mediaType: 'audio/x-made-up', data },
    { type: 'audio', mediaType: 'audio/x-made-up', data: 'AQID', filename: 'content.bin' },
  ],
])('writes %o as Base64', (block, encoded) => {
  expect(encodeBlock(block)).toEqual(encoded)
})
