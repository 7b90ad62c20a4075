import type { ContentBlock } from '@spillway/core'
import {
  DocumentBlock,
  ImageBlock,
  JsonBlock,
  TextBlock,
  VideoBlock,
  type ToolResultContent,
} from '@strands-agents/sdk'
import { expect, it } from 'vitest'
import { blockToContent } from './block-to-content.ts'
import { contentToBlock } from './content-to-block.ts'

const bytes = new Uint8Array([1, 2, 3])

it.each<ContentBlock>([
  { type: 'text', text: 'a' },
  { type: 'json', value: { a: [1, null] } },
  { type: 'json', value: [1, { a: 2 }] },
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp'].map((mediaType): ContentBlock => ({
    type: 'image',
    mediaType,
    data: bytes,
  })),
  ...['video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska', 'video/mpeg', 'video/3gpp', 'video/x-flv'].map(
    (mediaType): ContentBlock => ({ type: 'video', mediaType, data: bytes }),
  ),
  ...['application/pdf', 'text/csv', 'text/html', 'application/msword', 'text/markdown', 'application/xml'].map(
    (mediaType): ContentBlock => ({ type: 'document', mediaType, name: 'call-1', data: bytes }),
  ),
])('writes %o so that it is read back', (block) => {
  expect(contentToBlock(blockToContent(block, 'call-1'))).toEqual(block)
})

it.each<[ContentBlock, ToolResultContent]>([
  [{ type: 'json', value: 'a' }, new TextBlock('"a"')],
  [{ type: 'json', value: 5 }, new TextBlock('5')],
  [{ type: 'json', value: undefined }, new TextBlock('null')],
  [{ type: 'unknown', value: { a: 1 } }, new JsonBlock({ json: { a: 1 } })],
  [{ type: 'link', url: 'https://example.com/a' }, new TextBlock('https://example.com/a')],
  [
    { type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' },
    new TextBlock('https://example.com/a.png'),
  ],
  [{ type: 'image', mediaType: 'image/jpg', data: bytes }, new ImageBlock({ format: 'jpeg', source: { bytes } })],
  [{ type: 'video', mediaType: 'video/x-ms-wmv', data: bytes }, new VideoBlock({ format: 'wmv', source: { bytes } })],
  [
    { type: 'document', mediaType: 'application/pdf', data: bytes },
    new DocumentBlock({ format: 'pdf', name: 'call-1', source: { bytes } }),
  ],
])('writes %o', (block, content) => {
  expect(blockToContent(block, 'call-1')).toEqual(content)
})

it.each<ContentBlock>([
  { type: 'audio', mediaType: 'audio/wav', data: bytes },
  { type: 'image', mediaType: 'image/svg+xml', data: bytes },
  { type: 'image', mediaType: 'application/octet-stream', data: bytes },
  { type: 'video', mediaType: 'video/ogg', data: bytes },
  { type: 'document', mediaType: 'application/zip', data: bytes },
  { type: 'document', mediaType: '__proto__', data: bytes },
])('describes %o, for which Strands has no format: a provider would refuse the request', (block) => {
  const { type, mediaType } = block as { type: string; mediaType: string }
  expect(blockToContent(block, 'call-1')).toEqual(new TextBlock(`[${type}: ${mediaType}, 3 bytes: not shown]`))
})

it.each([
  ['tooluse_A-1', 'tooluse-A-1'],
  ['../../etc/passwd', '-etc-passwd'],
  ['x'.repeat(300), 'x'.repeat(200)],
  ['日本語', '-'],
])('names a document by the call, %s, in letters that Amazon Bedrock takes: %s', (toolUseId, name) => {
  const block = { type: 'document', mediaType: 'application/pdf', name: 'not this one', data: bytes } as const
  expect(blockToContent(block, toolUseId)).toMatchObject({ name })
})
