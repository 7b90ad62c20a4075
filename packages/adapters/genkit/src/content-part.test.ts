import type { ContentBlock } from '@spillway/core'
import type { Part } from 'genkit'
import { expect, it } from 'vitest'
import { readPart, writePart } from './content-part.ts'

const data = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const URL_OF_DATA = 'data:image/png;base64,iVBORw0KGgo='

it.each<[Part, ContentBlock]>([
  [{ text: '' }, { type: 'text', text: '' }],
  [
    { text: 'a', metadata: { name: 'a.html', contentType: 'text/html', context: 'By Ada.' } },
    { type: 'text', text: 'a', name: 'a.html', mediaType: 'text/html', context: 'By Ada.' },
  ],
  [
    { text: 'a', metadata: { uri: 'file:///a.md', mimeType: 'text/markdown' } },
    { type: 'text', text: 'a', name: 'file:///a.md', mediaType: 'text/markdown' },
  ],
  [
    { media: { url: URL_OF_DATA }, metadata: { filename: 'a.png' } },
    { type: 'image', mediaType: 'image/png', name: 'a.png', data },
  ],
  [{ data: null }, { type: 'json', value: null }],
  [{ data: { a: 1 } }, { type: 'json', value: { a: 1 } }],
  [{ resource: { uri: 'file:///a.log' } }, { type: 'link', url: 'file:///a.log' }],
  [{ media: { url: URL_OF_DATA } }, { type: 'image', mediaType: 'image/png', data }],
  [
    { media: { url: 'https://example.com/a.mp4', contentType: 'video/mp4' } },
    { type: 'video', mediaType: 'video/mp4', url: 'https://example.com/a.mp4' },
  ],
])('reads %j', (part, block) => {
  expect(readPart(part)).toEqual({ ...('mediaType' in block ? { name: undefined } : {}), ...block })
})

it.each<unknown>([
  { custom: { hits: 3 } },
  { reasoning: 'so' },
  { toolRequest: { name: 'a' } },
  { media: { url: 'data:image/png;base64,not base64!' } },
  { media: {} },
  {},
  null,
  'text',
])('passes %j through as it is', (part) => {
  const block = readPart(part as Part)
  expect(block).toEqual({ type: 'unknown', value: part })
  expect((block as { value: unknown }).value).toBe(part)
})

it.each<[ContentBlock, Part]>([
  [{ type: 'text', text: 'a' }, { text: 'a' }],
  [{ type: 'json', value: { a: 1 } }, { data: { a: 1 } }],
  [{ type: 'image', mediaType: 'image/png', data }, { media: { url: URL_OF_DATA, contentType: 'image/png' } }],
])('writes %j', (block, part) => {
  expect(writePart(block)).toEqual(part)
})

it('writes what has neither text nor bytes as data', () => {
  const link = { type: 'link', url: 'https://example.com' } as const
  expect(writePart(link)).toEqual({ data: link })
})
