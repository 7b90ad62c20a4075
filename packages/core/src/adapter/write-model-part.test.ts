import { expect, it } from 'vitest'
import type { ContentBlock } from '../content/content-block.ts'
import { readModelPart } from './read-model-part.ts'
import { writeModelPart, type ModelMediaForm } from './write-model-part.ts'

const data = new Uint8Array([1, 2, 3])
const MEDIA: readonly ContentBlock[] = [
  { type: 'image', mediaType: 'image/png', data },
  { type: 'document', mediaType: 'application/pdf', data },
  { type: 'audio', mediaType: 'audio/wav', data },
]

it.each<ModelMediaForm>(['media', 'file-data', 'file'])('writes media in the form %s so that it reads back', (form) => {
  for (const block of MEDIA) expect(readModelPart(writeModelPart(block, form))).toEqual({ ...block, name: undefined })
})

it.each<[ContentBlock, string]>([
  [{ type: 'text', text: 'a' }, 'a'],
  [{ type: 'json', value: { a: 1 } }, '{"a":1}'],
  [{ type: 'json', value: undefined }, 'null'],
  [{ type: 'link', url: 'https://example.com' }, '{"type":"link","url":"https://example.com"}'],
])('writes %o as text', (block, text) => {
  expect(writeModelPart(block, 'file-data')).toEqual({ type: 'text', text })
})
