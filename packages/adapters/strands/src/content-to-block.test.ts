import {
  DocumentBlock,
  ImageBlock,
  JsonBlock,
  TextBlock,
  VideoBlock,
  type ToolResultContent,
} from '@strands-agents/sdk'
import { expect, it } from 'vitest'
import { contentToBlock } from './content-to-block.ts'

const bytes = new Uint8Array([1, 2, 3])
const location = { type: 's3' as const, uri: 's3://bucket/key' }
const text = (value: string): Uint8Array => new TextEncoder().encode(value)

it.each<[string, ToolResultContent, object]>([
  ['text', new TextBlock('a'), { type: 'text', text: 'a' }],
  ['an object', new JsonBlock({ json: { a: 1 } }), { type: 'json', value: { a: 1 } }],
  [
    'an array, which Strands puts into an object',
    new JsonBlock({ json: { $value: [1] } }),
    { type: 'json', value: [1] },
  ],
  [
    'an object of a tool',
    new JsonBlock({ json: { $value: [1], a: 2 } }),
    { type: 'json', value: { $value: [1], a: 2 } },
  ],
  ['an object with no array', new JsonBlock({ json: { $value: 'a' } }), { type: 'json', value: { $value: 'a' } }],
  ['null', new JsonBlock({ json: null }), { type: 'json', value: null }],
  [
    'an image',
    new ImageBlock({ format: 'jpg', source: { bytes } }),
    { type: 'image', mediaType: 'image/jpeg', data: bytes },
  ],
  [
    'an image by URL',
    new ImageBlock({ format: 'png', source: { url: 'https://example.com/a.png' } }),
    { type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' },
  ],
  [
    'an image in a data: URL',
    new ImageBlock({ format: 'png', source: { url: 'data:image/png;base64,AQID' } }),
    { type: 'image', mediaType: 'image/png', data: bytes },
  ],
  [
    'an image in S3',
    new ImageBlock({ format: 'webp', source: { location } }),
    { type: 'image', mediaType: 'image/webp', url: location.uri },
  ],
  [
    'a video',
    new VideoBlock({ format: 'mkv', source: { bytes } }),
    { type: 'video', mediaType: 'video/x-matroska', data: bytes },
  ],
  [
    'a video in S3',
    new VideoBlock({ format: 'mp4', source: { location } }),
    { type: 'video', mediaType: 'video/mp4', url: location.uri },
  ],
  [
    'a document',
    new DocumentBlock({ format: 'pdf', name: 'paper', source: { bytes } }),
    { type: 'document', mediaType: 'application/pdf', name: 'paper', data: bytes },
  ],
  [
    'a document of text',
    new DocumentBlock({ format: 'csv', name: 'table', source: { text: 'a,b\n1,2' } }),
    { type: 'document', mediaType: 'text/csv', name: 'table', data: text('a,b\n1,2') },
  ],
  [
    'a document in parts',
    new DocumentBlock({ format: 'txt', name: 'parts', source: { content: [{ text: 'one' }, { text: 'two' }] } }),
    { type: 'document', mediaType: 'text/plain', name: 'parts', data: text('one\ntwo') },
  ],
  [
    'a document in S3',
    new DocumentBlock({ format: 'docx', name: 'letter', source: { location } }),
    {
      type: 'document',
      mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      name: 'letter',
      url: location.uri,
    },
  ],
])('maps %s', (_what, content, block) => {
  expect(contentToBlock(content)).toEqual(block)
})

it('shares the bytes and the values that it maps', () => {
  expect(contentToBlock(new ImageBlock({ format: 'png', source: { bytes } }))).toHaveProperty('data', bytes)
  const json = { rows: [1] }
  expect(contentToBlock(new JsonBlock({ json }))).toHaveProperty('value', json)
})

it.each<[string, unknown]>([
  ['content of a later version', { type: 'audioBlock', format: 'wav', source: { bytes } }],
  ['text that is none', { type: 'textBlock', text: 5 }],
  ['media without a source that is known', { type: 'imageBlock', format: 'png', source: { type: 'of_the_future' } }],
  ['media without any source', { type: 'imageBlock', format: 'png' }],
  ['media without a format', { type: 'documentBlock', source: {} }],
  ['content in its form as data', { text: 'a' }],
])('passes %s on as it is', (_what, content) => {
  expect(contentToBlock(content as ToolResultContent)).toEqual({ type: 'unknown', value: content })
})
