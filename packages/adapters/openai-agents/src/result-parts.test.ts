import { Buffer } from 'node:buffer'
import type { ContentBlock } from '@spillway/core'
import { describe, expect, it } from 'vitest'
import { blockToPart, isForProgram, parseJson, partToBlock, toolOutput } from './result-parts.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BASE64 = Buffer.from(PNG).toString('base64')
const URL_TEXT = 'https://example.com/a.png'
const image: ContentBlock = { type: 'image', mediaType: 'image/png', data: PNG }
const pdf: ContentBlock = { type: 'document', mediaType: 'application/pdf', name: 'a.pdf', data: PNG }

it.each<[what: string, part: unknown, block: object]>([
  ['a plain text', 'a', { type: 'text', text: 'a' }],
  ['a text', { type: 'text', text: 'a' }, { type: 'text', text: 'a' }],
  ['a part of text', { type: 'input_text', text: '' }, { type: 'text', text: '' }],
  ['an image as data: URL', { type: 'input_image', image: `data:image/png;base64,${BASE64}`, detail: 'low' }, image],
  ['an image as Base64', { type: 'input_image', image: BASE64 }, image],
  ['an image by URL', { type: 'input_image', image: URL_TEXT }, { type: 'image', url: URL_TEXT }],
  [
    'a file as data: URL',
    { type: 'input_file', file: `data:application/pdf;base64,${BASE64}`, filename: 'a.pdf' },
    pdf,
  ],
  ['a file as Base64', { type: 'input_file', file: BASE64 }, { type: 'document', data: PNG }],
  ['a file by URL', { type: 'input_file', file: { url: URL_TEXT } }, { type: 'document', url: URL_TEXT }],
  [
    'sound',
    { type: 'input_file', file: `data:audio/wav;base64,${BASE64}` },
    { type: 'audio', mediaType: 'audio/wav', data: PNG },
  ],
])('a result part is read from %s', (_what, part, block) => {
  expect(partToBlock(part)).toMatchObject(block)
})

it.each<[unknown]>([
  [{ type: 'input_image', image: { id: 'file_1' } }],
  [{ type: 'input_file', file: { id: 'file_1' } }],
  [{ type: 'input_image' }],
  [{ type: 'input_image', image: 'not base64!' }],
  [{ type: 'input_file', file: 'data:application/pdf;base64' }],
  [{ type: 'input_text', text: 7 }],
  [{ type: '__proto__', text: 'a' }],
  [null],
  [undefined],
  [7],
])('a result part passes %j through', (part) => {
  expect(partToBlock(part)).toEqual({ type: 'unknown', value: part })
})

it.each<ContentBlock>([{ type: 'text', text: 'a' }, image, pdf])(
  'a result part of type $type can be read back',
  (block) => {
    expect(partToBlock(blockToPart(block))).toMatchObject(block)
  },
)

it('an image of 8 MB is read no slower than decoding it', () => {
  const part = { type: 'input_image', image: `data:image/png;base64,${'A'.repeat(8_000_000)}` }
  const start = process.cpuUsage().user
  partToBlock(part)
  expect(process.cpuUsage().user - start).toBeLessThan(1_000_000)
})

it('answers are written in the form of tool results', () => {
  expect(toolOutput([{ type: 'text', text: 'a' }])).toBe('a')
  expect(toolOutput([{ type: 'json', value: { a: 1 } }])).toBe('{"a":1}')
  expect(toolOutput([image])).toMatchObject([{ type: 'image', image: { data: BASE64, mediaType: 'image/png' } }])
  expect(toolOutput([{ type: 'text', text: 'a' }, pdf])).toEqual([
    { type: 'text', text: 'a' },
    { type: 'file', file: { data: BASE64, mediaType: 'application/pdf', filename: 'a.pdf' } },
  ])
})

describe('isForProgram', () => {
  it('is true only for calls of programs', () => {
    expect(isForProgram({ caller: { type: 'program', callerId: 'program_1' } })).toBe(true)
    for (const item of [
      {},
      { caller: undefined },
      { caller: null },
      { caller: 'program' },
      { caller: { type: 'direct' } },
    ])
      expect(isForProgram(item)).toBe(false)
  })
})

describe('parseJson', () => {
  it.each<[string, unknown]>([
    ['{"a":[1,null]}', { a: [1, null] }],
    ['"a"', 'a'],
    ['', ''],
    ['{"a":', '{"a":'],
    ['[byte array 0x00 (1 bytes)]', '[byte array 0x00 (1 bytes)]'],
  ])('reads %j', (text, value) => {
    expect(parseJson(text)).toEqual(value)
  })

  it("does not set a prototype from a model's arguments", () => {
    const value = parseJson('{"__proto__":{"polluted":true}}') as object
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect('polluted' in value).toBe(false)
  })
})
