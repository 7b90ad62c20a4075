import { encodeBase64 } from '@spillway/core/adapter'
import { describe, expect, it } from 'vitest'
import type { ContentBlock } from '@spillway/core'
import { blocksToContent, partToBlock, type ContentPart } from './content-parts.ts'

describe('partToBlock', () => {
  const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const base64 = encodeBase64(PNG)
  const url = 'https://example.com/a'

  it.each<[form: string, part: ContentPart, block: object]>([
    ['a text', { type: 'text', text: 'a' }, { type: 'text', text: 'a' }],
    ['a string', 'a', { type: 'text', text: 'a' }],
    ['text of version 0', { type: 'text', source_type: 'text', text: 'a' }, { type: 'text', text: 'a' }],
    ['a text file of version 0', { type: 'file', source_type: 'text', text: 'a' }, { type: 'text', text: 'a' }],
    [
      'a text file of version 0 with a name',
      { type: 'file', source_type: 'text', mime_type: 'text/html', text: 'a', metadata: { uri: 'file:///a.html' } },
      { type: 'text', text: 'a', mediaType: 'text/html', name: 'file:///a.html' },
    ],
    [
      'plain text of version 1',
      { type: 'text-plain', mimeType: 'text/plain', text: 'a', title: 'Notes', context: 'By Ada.' },
      { type: 'text', text: 'a', mediaType: 'text/plain', name: 'Notes', context: 'By Ada.' },
    ],
    [
      'a text document of Anthropic with a title',
      { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'a' } },
      { type: 'text', text: 'a', mediaType: 'text/plain', name: 'Notes' },
    ],
    [
      'a text document of Anthropic',
      { type: 'document', source: { type: 'text', data: 'a' } },
      { type: 'text', text: 'a' },
    ],
    ['bytes of version 1', { type: 'image', mimeType: 'image/png', data: PNG }, { type: 'image', data: PNG }],
    ['Base64 of version 1', { type: 'image', mimeType: 'image/png', data: base64 }, { type: 'image', data: PNG }],
    ['audio of version 1', { type: 'audio', mimeType: 'audio/wav', data: base64 }, { type: 'audio', data: PNG }],
    ['video of version 1', { type: 'video', mimeType: 'video/mp4', data: base64 }, { type: 'video', data: PNG }],
    [
      'a file of version 1',
      { type: 'file', mimeType: 'application/pdf', data: base64, metadata: { filename: 'a.pdf' } },
      { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', data: PNG },
    ],
    [
      'a URL of version 1',
      { type: 'image', mimeType: 'image/png', url },
      { type: 'image', mediaType: 'image/png', url },
    ],
    [
      'Base64 of version 0',
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data: base64 },
      { type: 'image', mediaType: 'image/png', data: PNG },
    ],
    [
      'Base64 of version 0 with a name',
      { type: 'file', source_type: 'base64', mime_type: 'application/pdf', data: base64, metadata: { name: 'a.pdf' } },
      { type: 'document', name: 'a.pdf', data: PNG },
    ],
    ['a URL of version 0', { type: 'image', source_type: 'url', url }, { type: 'image', url }],
    [
      'Base64 of Anthropic',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
      { type: 'image', mediaType: 'image/png', data: PNG },
    ],
    [
      'a document of Anthropic',
      { type: 'document', title: 'a', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
      { type: 'document', mediaType: 'application/pdf', name: 'a', data: PNG },
    ],
    ['a URL of Anthropic', { type: 'document', source: { type: 'url', url } }, { type: 'document', url }],
    ['a URL of OpenAI', { type: 'image_url', image_url: { url } }, { type: 'image', url }],
    ['a short URL of OpenAI', { type: 'image_url', image_url: url }, { type: 'image', url }],
    [
      'a data: URL of OpenAI',
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}`, detail: 'low' } },
      { type: 'image', mediaType: 'image/png', data: PNG },
    ],
    ['an image for a response of OpenAI', { type: 'input_image', image_url: url }, { type: 'image', url }],
    [
      'audio of OpenAI',
      { type: 'input_audio', input_audio: { format: 'wav', data: base64 } },
      { type: 'audio', mediaType: 'audio/wav', data: PNG },
    ],
    [
      'a file of OpenAI',
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64}` } },
      { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', data: PNG },
    ],
    ['an object that is not a block', { id: 1 }, { type: 'json', value: { id: 1 } }],
  ])('maps %s', (_form, part, block) => {
    expect(partToBlock(part)).toMatchObject(block)
  })

  it.each<ContentPart>([
    { type: 'image', mimeType: 'image/png', fileId: 'file_1' },
    { type: 'image', source_type: 'id', id: 'file_1' },
    { type: 'file', file: { file_id: 'file_1' } },
    { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    { type: 'image', mimeType: 'image/png', data: 'not base64!' },
    { type: 'image', mimeType: 'image/png', data: 7 },
    { type: 'image', mimeType: 7, url: 7, metadata: 'x' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64' } },
    { type: 'image_url' },
    { type: 'input_audio', input_audio: null },
    { type: 'text', text: 7 },
    { type: 'text' },
    { type: 'search_result', content: [{ type: 'text', text: 'a' }] },
    { type: '__proto__' },
    { type: 'constructor', constructor: { data: 'aGk=' } },
    { type: null },
  ])('passes %j through', (part) => {
    expect(partToBlock(part)).toEqual({ type: 'unknown', value: part })
  })

  it.each<[what: string, part: ContentPart]>([
    ['a URL', { type: 'image_url', image_url: `data:image/png;base64,${'A'.repeat(8_000_000)}` }],
    ['Base64 where an object is expected', { type: 'document', source: 'A'.repeat(8_000_000) }],
    ['bytes where an object is expected', { type: 'file', file: new Uint8Array(8_000_000) }],
  ])('reads %s of 8 MB no slower than decoding it', (_what, part) => {
    const start = process.cpuUsage().user
    partToBlock(part)
    expect(process.cpuUsage().user - start).toBeLessThan(1_000_000)
  })
})

describe('blocksToContent', () => {
  const data = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

  it('writes a single text as a string', () => {
    expect(blocksToContent([{ type: 'text', text: 'a' }])).toBe('a')
  })

  it('writes other blocks as text', () => {
    const blocks: ContentBlock[] = [
      { type: 'json', value: { a: 1 } },
      { type: 'link', url: 'https://example.com' },
    ]
    expect(blocksToContent(blocks)).toEqual([
      { type: 'text', text: '{"a":1}' },
      { type: 'text', text: 'https://example.com' },
    ])
  })

  it.each<ContentBlock>([
    { type: 'image', mediaType: 'image/png', data },
    { type: 'image', mediaType: 'image/*', url: 'https://example.com/a.png' },
    { type: 'audio', mediaType: 'audio/wav', data },
    { type: 'video', mediaType: 'video/mp4', url: 'https://example.com/a.mp4' },
    { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', data },
  ])('writes media that can be read back: %j', (block) => {
    const [part] = blocksToContent([block]) as ContentPart[]
    expect(partToBlock(part ?? '')).toEqual({ name: undefined, ...block })
  })
})
