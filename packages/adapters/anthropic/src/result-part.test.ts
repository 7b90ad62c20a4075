import type { ContentBlock } from '@spillway/core'
import { describe, expect, it } from 'vitest'
import { blockToPart, partToBlock } from './result-part.ts'

describe('partToBlock', () => {
  const data = new Uint8Array([1, 2, 3])
  const base64 = 'AQID'

  it.each<[object, ContentBlock]>([
    [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'a' },
    ],
    [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
      { type: 'image', mediaType: 'image/png', data },
    ],
    [
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'image', mediaType: 'image/*', url: 'https://example.com/a.png' },
    ],
    [
      { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
      { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', data },
    ],
    [
      { type: 'document', title: null, source: { type: 'url', url: 'https://example.com/a.pdf' } },
      { type: 'document', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' },
    ],
    [
      {
        type: 'document',
        title: 'Notes',
        context: 'By Ada.',
        source: { type: 'text', media_type: 'text/plain', data: 'one\ntwo' },
      },
      { type: 'text', text: 'one\ntwo', name: 'Notes', context: 'By Ada.' },
    ],
    [
      { type: 'document', title: 'Notes', source: { type: 'content', content: 'one' } },
      { type: 'text', text: 'one', name: 'Notes' },
    ],
    [
      {
        type: 'document',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
          ],
        },
      },
      { type: 'text', text: 'one\ntwo' },
    ],
    [
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'one' }, { type: 'image' }] } },
      { type: 'json', value: [{ type: 'text', text: 'one' }, { type: 'image' }] },
    ],
    [
      { type: 'search_result', title: 'A', source: 'https://example.com', content: [{ type: 'text', text: 'found' }] },
      { type: 'text', text: 'A\nhttps://example.com\n\nfound' },
    ],
  ])('maps %j', (part, block) => {
    expect(partToBlock(part as never)).toEqual(block)
  })

  it.each([
    [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }],
    [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'not base64!' } }],
    [{ type: 'image', source: { type: 'url' } }],
    [{ type: 'image' }],
    [{ type: 'document', source: { type: 'text' } }],
    [{ type: 'document', source: null }],
    [{ type: 'search_result', title: 'A', content: [{ type: 'text', text: 'found' }] }],
    [{ type: 'search_result', title: 'A', source: 'b' }],
    [{ type: 'tool_reference', tool_name: 'read' }],
    [{ type: 'browser_state', tabs: [] }],
    [{ type: 'text', text: 7 }],
    [{ type: 'of_the_future', text: 'a' }],
    [{}],
    [null],
    [undefined],
    [7],
  ])('leaves %j unchanged', (part) => {
    expect(partToBlock(part as never)).toEqual({ type: 'unknown', value: part })
  })
})

describe('blockToPart', () => {
  const data = new Uint8Array([1, 2, 3])

  it.each<ContentBlock>([
    { type: 'text', text: 'a' },
    { type: 'image', mediaType: 'image/png', data },
    { type: 'image', mediaType: 'image/jpeg', data },
    { type: 'image', mediaType: 'image/gif', data },
    { type: 'image', mediaType: 'image/webp', data },
    { type: 'document', mediaType: 'application/pdf', data },
  ])('writes $type $mediaType in a form that is read back as the same block', (block) => {
    expect(partToBlock(blockToPart(block))).toEqual(block)
  })

  it('writes a media type in the form of the API', () => {
    const part = blockToPart({ type: 'image', mediaType: 'IMAGE/PNG; foo=bar', data })
    expect(part).toEqual({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } })
  })

  it.each<[ContentBlock, string]>([
    [{ type: 'json', value: [1] }, '[1]'],
    [{ type: 'json', value: undefined }, 'null'],
    [{ type: 'unknown', value: { a: 1 } }, '{"a":1}'],
    [{ type: 'link', url: 'https://example.com' }, 'https://example.com'],
    [{ type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' }, 'https://example.com/a.png'],
    [
      { type: 'image', mediaType: 'image/svg+xml', data },
      '[image: image/svg+xml, 3 bytes, a type that cannot be shown]',
    ],
    [{ type: 'audio', mediaType: 'audio/wav', data }, '[audio: audio/wav, 3 bytes, a type that cannot be shown]'],
    [
      { type: 'document', mediaType: 'application/zip', data },
      '[document: application/zip, 3 bytes, a type that cannot be shown]',
    ],
  ])('writes %j as text that the API accepts', (block, text) => {
    expect(blockToPart(block)).toEqual({ type: 'text', text })
  })
})
