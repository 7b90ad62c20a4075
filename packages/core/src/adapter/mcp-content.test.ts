import { expect, it } from 'vitest'
import type { ContentBlock } from '@spillway/text/internal'
import { readMcpPart, writeMcpPart } from './mcp-content.ts'

const data = new Uint8Array([1, 2, 3])
const BASE64 = 'AQID'

it.each<[object, ContentBlock]>([
  [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'a' },
  ],
  [
    { type: 'image', data: BASE64, mimeType: 'image/png' },
    { type: 'image', mediaType: 'image/png', data },
  ],
  [
    { type: 'audio', data: BASE64, mimeType: 'audio/wav' },
    { type: 'audio', mediaType: 'audio/wav', data },
  ],
  [
    { type: 'resource', resource: { uri: 'file:///a.html', mimeType: 'text/html', text: 'a' } },
    { type: 'text', text: 'a', name: 'file:///a.html', mediaType: 'text/html' },
  ],
  [
    { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: BASE64 } },
    { type: 'document', mediaType: 'application/pdf', name: 'file:///a.pdf', data },
  ],
  [
    { type: 'resource_link', uri: 'https://example.com/a', name: 'a' },
    { type: 'link', url: 'https://example.com/a', name: 'a' },
  ],
])('reads %o', (part, block) => {
  expect(readMcpPart(part)).toEqual(block)
})

it.each([
  [undefined],
  [null],
  ['text'],
  [7],
  [{}],
  [{ type: 'text' }],
  [{ type: 'text', text: 7 }],
  [{ type: 'image', data: 'not base64!', mimeType: 'image/png' }],
  [{ type: 'image', mimeType: 'image/png' }],
  [{ type: 'resource' }],
  [{ type: 'resource', resource: { uri: 'file:///a' } }],
  [{ type: 'resource_link' }],
  [{ type: 'of_the_future', text: 'a' }],
])('passes %o through', (part) => {
  expect(readMcpPart(part)).toEqual({ type: 'unknown', value: part })
})

it.each<[ContentBlock, object]>([
  [
    { type: 'json', value: [1] },
    { type: 'text', text: '[1]' },
  ],
  [
    { type: 'unknown', value: undefined },
    { type: 'text', text: 'null' },
  ],
  [
    { type: 'link', url: 'https://example.com/a' },
    { type: 'text', text: 'https://example.com/a' },
  ],
  [
    { type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' },
    { type: 'text', text: 'https://example.com/a.png' },
  ],
  [
    { type: 'document', mediaType: 'application/pdf', name: 'a b.pdf', data },
    { type: 'resource', resource: { uri: 'file:///a%20b.pdf', mimeType: 'application/pdf', blob: BASE64 } },
  ],
])('writes %o', (block, part) => {
  expect(writeMcpPart(block)).toEqual(part)
})

it.each<ContentBlock>([
  { type: 'text', text: 'a' },
  { type: 'image', mediaType: 'image/png', data },
  { type: 'audio', mediaType: 'audio/wav', data },
])('writes $type so that it reads back', (block) => {
  expect(readMcpPart(writeMcpPart(block))).toEqual(block)
})
