import type { ContentBlock } from '@spillway/core'
import { expect, it } from 'vitest'
import { blockToPart } from './block-to-part.ts'
import { partToBlock } from './part-to-block.ts'

const data = new Uint8Array([1, 2, 3])

it.each<ContentBlock>([
  { type: 'text', text: 'a' },
  { type: 'image', mediaType: 'image/png', data },
  { type: 'image', mediaType: 'image/jpeg', data },
  { type: 'image', mediaType: 'image/gif', data },
  { type: 'image', mediaType: 'image/webp', data },
  { type: 'document', mediaType: 'application/pdf', data },
])('writes $type $mediaType so that it reads back', (block) => {
  expect(partToBlock(blockToPart(block))).toEqual(block)
})

it('writes a media type as the API has it', () => {
  const part = blockToPart({ type: 'image', mediaType: 'IMAGE/PNG; foo=bar', data })
  expect(part).toEqual({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } })
})

it.each<[ContentBlock, string]>([
  [{ type: 'json', value: [1] }, '[1]'],
  [{ type: 'json', value: undefined }, 'null'],
  [{ type: 'unknown', value: { a: 1 } }, '{"a":1}'],
  [{ type: 'link', url: 'https://example.com' }, 'https://example.com'],
  [{ type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' }, 'https://example.com/a.png'],
  [{ type: 'image', mediaType: 'image/svg+xml', data }, '[image: image/svg+xml, 3 bytes, no type that can be shown]'],
  [{ type: 'audio', mediaType: 'audio/wav', data }, '[audio: audio/wav, 3 bytes, no type that can be shown]'],
  [
    { type: 'document', mediaType: 'application/zip', data },
    '[document: application/zip, 3 bytes, no type that can be shown]',
  ],
])('writes %j as text, which the API takes', (block, text) => {
  expect(blockToPart(block)).toEqual({ type: 'text', text })
})
