import type { ContentBlock } from '@spillway/text/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '../content/media-source.ts'
import { readModelPart, writeModelOutput, writeModelPart, type ModelMediaForm } from './model-output.ts'

const TEXT = { type: 'text', text: 'two users' } as const

const IMAGE = { type: 'image', mediaType: 'image/png', data: new Uint8Array([104, 105]) } as const

it('writeModelOutput joins texts into one, and marks an error', () => {
  expect(writeModelOutput([TEXT], { isError: false, form: 'file' })).toEqual({ type: 'text', value: 'two users' })
  const blocks = [TEXT, { type: 'json', value: { users: 2 } } as const]
  const value = 'two users\n{"users":2}'
  expect(writeModelOutput(blocks, { isError: true, form: 'file' })).toEqual({ type: 'error-text', value })
})

it('writeModelOutput writes media as parts in the requested form', () => {
  expect(writeModelOutput([TEXT, IMAGE], { isError: false, form: 'file-data' })).toEqual({
    type: 'content',
    value: [TEXT, { type: 'image-data', data: 'aGk=', mediaType: 'image/png' }],
  })
  expect(writeModelOutput([IMAGE], { isError: false, form: 'file' })).toEqual({
    type: 'content',
    value: [{ type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'image/png' }],
  })
})

it('writeModelOutput writes an empty text if there are no blocks', () => {
  expect(writeModelOutput([], { isError: false, form: 'file' })).toEqual({ type: 'text', value: '' })
})

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const BASE64 = encodeBase64(PNG)

const URL_TEXT = 'https://example.com/a.png'

const image = (mediaType: string, name?: string): object => ({ type: 'image', mediaType, name, data: PNG })

describe('readModelPart', () => {
  it.each([
    ['text', { type: 'text', text: 'a' }, { type: 'text', text: 'a' }],
    ['media of version 5', { type: 'media', data: BASE64, mediaType: 'image/png' }, image('image/png')],
    ['image-data', { type: 'image-data', data: BASE64, mediaType: 'image/png' }, image('image/png')],
    [
      'file-data',
      { type: 'file-data', data: BASE64, mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', data: PNG },
    ],
    [
      'a file of Base64',
      { type: 'file', data: { type: 'data', data: BASE64 }, mediaType: 'image/png', filename: 'a' },
      image('image/png', 'a'),
    ],
    ['a file of bytes', { type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image' }, image('image/png')],
    [
      'a file of a buffer',
      { type: 'file', data: { type: 'data', data: PNG.buffer }, mediaType: 'image/*' },
      image('image/png'),
    ],
    [
      'a file of a data: URL as data',
      { type: 'file', data: { type: 'data', data: `data:image/png;base64,${BASE64}` }, mediaType: 'image' },
      image('image/png'),
    ],
    [
      'a file of a data: URL',
      { type: 'file', data: { type: 'url', url: new URL(`data:image/png;base64,${BASE64}`) }, mediaType: 'image' },
      image('image/png'),
    ],
    [
      'a file by URL',
      { type: 'file', data: { type: 'url', url: new URL(URL_TEXT) }, mediaType: 'image/png' },
      { type: 'image', mediaType: 'image/png', url: URL_TEXT },
    ],
    [
      'a file of text',
      { type: 'file', data: { type: 'text', text: 'a' }, mediaType: 'text/html', filename: 'a.html' },
      { type: 'text', text: 'a', mediaType: 'text/html', name: 'a.html' },
    ],
    ['image-url', { type: 'image-url', url: URL_TEXT }, { type: 'image', mediaType: 'image', url: URL_TEXT }],
    ['image-url of data:', { type: 'image-url', url: `data:image/png;base64,${BASE64}` }, image('image/png')],
    [
      'file-url',
      { type: 'file-url', url: URL_TEXT, mediaType: 'audio/wav' },
      { type: 'audio', mediaType: 'audio/wav', url: URL_TEXT },
    ],
    [
      'file-url without a type',
      { type: 'file-url', url: URL_TEXT },
      { type: 'document', mediaType: '', url: URL_TEXT },
    ],
  ])('reads %s', (_name, part, block) => {
    expect(readModelPart(part)).toEqual(block)
  })

  it.each([
    { type: 'file', data: { type: 'reference', reference: { openai: 'file-1' } }, mediaType: 'image/png' },
    { type: 'file', data: { type: 'data', data: 'not base64!' }, mediaType: 'image/png' },
    { type: 'file', data: { type: 'data', data: PNG } },
    { type: 'file', data: BASE64, mediaType: 'image/png' },
    { type: 'file-id', fileId: 'file-1' },
    { type: 'image-file-id', fileId: { openai: 'file-1' } },
    { type: 'file-reference', providerReference: { openai: 'file-1' } },
    { type: 'custom', providerOptions: { anthropic: { type: 'tool-reference', toolName: 'a' } } },
    { type: 'text', text: 1 },
    { type: 'image-url' },
    { type: 'image-data', data: BASE64 },
    { type: 'of the future', text: 'a' },
    { text: 'a' },
    null,
    undefined,
    'text',
    7,
  ])('passes %j through unchanged', (part) => {
    expect(readModelPart(part)).toEqual({ type: 'unknown', value: part })
    expect((readModelPart(part) as { value: unknown }).value).toBe(part)
  })

  it('accepts any value', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.record({
            type: fc.constantFrom('text', 'file', 'media', 'file-data', 'image-data', 'file-url', 'image-url'),
            text: fc.anything(),
            data: fc.anything(),
            url: fc.anything(),
            mediaType: fc.anything(),
            filename: fc.anything(),
          }),
        ),
        (part) => {
          expect(readModelPart(part)).toHaveProperty('type')
        },
      ),
    )
  })
})

const data = new Uint8Array([1, 2, 3])

const BLOCKS: readonly ContentBlock[] = [
  { type: 'image', mediaType: 'image/png', data },
  { type: 'document', mediaType: 'application/pdf', data },
  { type: 'audio', mediaType: 'audio/wav', data },
  { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', data },
  { type: 'text', mediaType: 'text/markdown', name: 'a.md', text: 'a' },
]

it.each<ModelMediaForm>(['media', 'file-data', 'file'])(
  'media and names written in the form %s can be read back',
  (form) => {
    for (const block of BLOCKS) expect(readModelPart(writeModelPart(block, form))).toEqual(block)
  },
)

it.each<[ContentBlock, string]>([
  [{ type: 'text', text: 'a' }, 'a'],
  [{ type: 'json', value: { a: 1 } }, '{"a":1}'],
  [{ type: 'json', value: undefined }, 'null'],
  [{ type: 'link', url: 'https://example.com' }, '{"type":"link","url":"https://example.com"}'],
])('a value of a model part is written as text: %o', (block, text) => {
  expect(writeModelPart(block, 'file-data')).toEqual({ type: 'text', text })
})
