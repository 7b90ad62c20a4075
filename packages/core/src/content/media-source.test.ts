import type { ContentBlock } from '@spillway/text/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  encodeBase64,
  encodeBlock,
  mediaFromData,
  mediaFromUrl,
  nameOfPart,
  textBlock,
  type EncodedBlock,
} from './media-source.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

describe('mediaFromData', () => {
  it('reads Base64 that is URL-safe, unpadded or wrapped', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const base64 = encodeBase64(bytes)
        const forms = [
          base64,
          base64.replaceAll('=', ''),
          base64.replaceAll('+', '-').replaceAll('/', '_'),
          base64.replaceAll(/.{1,76}/g, '$&\r\n'),
        ]
        for (const form of forms) expect(mediaFromData('audio/wav', form)?.data).toEqual(bytes)
      }),
    )
  })

  it.each(['not base64!', 'iVBO\u0000Rw0K', 'aGk=aGk=', 'A', 'äöü'])('rejects %j', (text) => {
    expect(mediaFromData('image/png', text)).toBeUndefined()
  })

  it.each([
    ['image/png', 'image'],
    ['IMAGE/SVG+XML', 'image'],
    ['audio/mpeg', 'audio'],
    ['video/mp4', 'video'],
    ['application/pdf', 'document'],
  ])('reads %j as %s', (mediaType, type) => {
    expect(mediaFromData(mediaType, 'aGk=', 'name')).toMatchObject({ type, mediaType, name: 'name' })
  })

  it.each([
    ['image', '\x89PNG\r\n\x1a\n', 'image', 'image/png'],
    ['image/*', '\xff\xd8\xff\xe0', 'image', 'image/jpeg'],
    ['image/*', 'GIF89a', 'image', 'image/gif'],
    ['image', 'RIFF\0\0\0\0WEBPVP8 ', 'image', 'image/webp'],
    ['audio', 'RIFF\n\0\0\0WAVEfmt ', 'audio', 'audio/wav'],
    ['audio', 'ID3\x04', 'audio', 'audio/mpeg'],
    ['video/*', '\0\0\0\x20ftypisom', 'video', 'video/mp4'],
    ['', '%PDF-1.7', 'document', 'application/pdf'],
    ['image', 'who knows', 'image', 'application/octet-stream'],
    ['not a type', '', 'document', 'application/octet-stream'],
    ['image/webp', '\x89PNG\r\n\x1a\n', 'image', 'image/webp'],
    ['text/plain; charset=utf-8', 'a', 'document', 'text/plain; charset=utf-8'],
  ])('completes the type %j by bytes that begin with %j: %s of type %s', (given, beginning, type, mediaType) => {
    const data = Uint8Array.from(beginning, (character) => character.charCodeAt(0))
    expect(mediaFromData(given, data, 'name')).toEqual({ type, mediaType, name: 'name', data })
  })
})

describe('mediaFromUrl', () => {
  it('keeps a URL unchanged', () => {
    const url = 'https://example.com/a.png?x=1'
    expect(mediaFromUrl('image/png', url)).toEqual({ type: 'image', mediaType: 'image/png', name: undefined, url })
  })

  it('decodes a data: URL into its bytes and media type', () => {
    const url = `data:image/png;base64,${encodeBase64(PNG)}`
    expect(mediaFromUrl('application/octet-stream', url)).toMatchObject({
      type: 'image',
      mediaType: 'image/png',
      data: PNG,
    })
    const text = mediaFromUrl('text/plain', 'data:,a%20b%C3%A9')
    expect(text).toMatchObject({ mediaType: 'text/plain', data: new TextEncoder().encode('a bé') })
    expect(mediaFromUrl('', 'DATA:text/csv;charset=utf-8,a,b')).toMatchObject({
      mediaType: 'text/csv',
      data: new TextEncoder().encode('a,b'),
    })
  })

  it.each(['data:image/png;base64', 'data:image/png;base64,&&&', 'data:,%E0%A4%A'])('rejects %j', (url) => {
    expect(mediaFromUrl('image/png', url)).toBeUndefined()
  })
})

const data = new Uint8Array([1, 2, 3])

it.each<[ContentBlock, string]>([
  [{ type: 'text', text: '' }, ''],
  [{ type: 'json', value: { a: [1] } }, '{"a":[1]}'],
  [{ type: 'json', value: undefined }, 'null'],
  [{ type: 'unknown', value: 'a' }, '"a"'],
  [{ type: 'link', url: 'https://example.com/a', name: 'a' }, 'https://example.com/a'],
  [{ type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' }, 'https://example.com/a.png'],
])('a model part writes %o as text', (block, text) => {
  expect(encodeBlock(block)).toEqual({ type: 'text', text })
})

it.each<[ContentBlock, EncodedBlock]>([
  [
    { type: 'image', mediaType: 'image/png', data },
    { type: 'image', mediaType: 'image/png', data: 'AQID', filename: 'content.png' },
  ],
  [
    { type: 'document', mediaType: 'application/pdf', name: 'a b.pdf', data },
    { type: 'document', mediaType: 'application/pdf', data: 'AQID', filename: 'a b.pdf' },
  ],
  [
    { type: 'audio', mediaType: 'audio/x-made-up', data },
    { type: 'audio', mediaType: 'audio/x-made-up', data: 'AQID', filename: 'content.bin' },
  ],
])('a model part writes %o as Base64', (block, encoded) => {
  expect(encodeBlock(block)).toEqual(encoded)
})

it('a model part omits values that are not text', () => {
  expect(textBlock('a', { name: 7, mediaType: null, context: undefined })).toStrictEqual({ type: 'text', text: 'a' })
  const origin = { name: 'a.md', mediaType: 'text/markdown', context: 'A note.' }
  expect(textBlock('a', origin)).toStrictEqual({ type: 'text', text: 'a', ...origin })
})

it.each<[unknown, string | undefined]>([
  [{ uri: 'file:///a', title: 'A', name: 'a.md', filename: 'b.md' }, 'b.md'],
  [{ uri: 'file:///a', title: 'A', name: '' }, 'A'],
  [{ uri: 'file:///a', title: 7 }, 'file:///a'],
  [{ text: 'a' }, undefined],
  [undefined, undefined],
])('a media part finds the name of %j', (part, name) => {
  expect(nameOfPart(part)).toBe(name)
})
