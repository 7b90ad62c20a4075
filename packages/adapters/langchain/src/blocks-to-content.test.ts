import type { ContentBlock } from '@spillway/core'
import { expect, it } from 'vitest'
import { blocksToContent } from './blocks-to-content.ts'
import type { ContentPart } from './media-of-part.ts'
import { partToBlock } from './part-to-block.ts'

const data = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

it('writes a single text as a string', () => {
  expect(blocksToContent([{ type: 'text', text: 'a' }])).toBe('a')
})

it('writes what is no medium as text', () => {
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
])('writes media so that they are read back: %j', (block) => {
  const [part] = blocksToContent([block]) as ContentPart[]
  expect(partToBlock(part ?? '')).toEqual({ name: undefined, ...block })
})
