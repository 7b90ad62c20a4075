import { expect, it } from 'vitest'
import type { ContentBlock } from '@spillway/text/internal'
import { readModelPart } from './read-model-part.ts'
import { writeModelPart, type ModelMediaForm } from './write-model-part.ts'

const data = new Uint8Array([1, 2, 3])
const BLOCKS: readonly ContentBlock[] = [
  { type: 'image', mediaType: 'image/png', data },
  { type: 'document', mediaType: 'application/pdf', data },
  { type: 'audio', mediaType: 'audio/wav', data },
  { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', data },
  { type: 'text', mediaType: 'text/markdown', name: 'a.md', text: 'a' },
]

it.each<ModelMediaForm>(['media', 'file-data', 'file'])(
  'writes media and names in the form %s so that they read back',
  (form) => {
    for (const block of BLOCKS) expect(readModelPart(writeModelPart(block, form))).toEqual(block)
  },
)

it.each<[ContentBlock, string]>([
  [{ type: 'text', text: 'a' }, 'a'],
  [{ type: 'json', value: { a: 1 } }, '{"a":1}'],
  [{ type: 'json', value: undefined }, 'null'],
  [{ type: 'link', url: 'https://example.com' }, '{"type":"link","url":"https://example.com"}'],
])('writes %o as text', (block, text) => {
  expect(writeModelPart(block, 'file-data')).toEqual({ type: 'text', text })
})
