import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf, jpeg, little, makePdf, png, zip } from '@spillway-internal/test-inputs'
import { describeMedia } from './describe-media.ts'
import { mediaFormatOf } from '@spillway/text/internal'

const webp = (...parts: readonly (string | number | Uint8Array)[]): Uint8Array =>
  bytesOf('RIFF', little(0, 4), 'WEBP', ...parts)

test.each<[what: string, mediaType: string, bytes: Uint8Array, expected: string | undefined]>([
  ['PNG', 'image/png', png(800, 600), '800 × 600'],
  ['JPEG after the thumbnail of a camera', 'image/jpeg', jpeg(4_000, 3_000), '4000 × 3000'],
  ['GIF', 'image/gif', bytesOf('GIF89a', little(640, 2), little(421, 2)), '640 × 421'],
  [
    'WebP, lossy',
    'image/webp',
    webp('VP8 ', little(0, 4), '\0\0\0\x9d\x01\x2a', little(0x4000 + 321, 2), little(123, 2)),
    '321 × 123',
  ],
  ['WebP, lossless', 'image/webp', webp('VP8L', little(0, 4), 0x2f, little(320 + 122 * 0x4000, 4)), '321 × 123'],
  [
    'WebP, extended',
    'image/webp',
    webp('VP8X', little(10, 4), little(0, 4), little(70_000, 3), little(122, 3)),
    '70001 × 123',
  ],
  [
    'SVG',
    'image/svg+xml',
    bytesOf('<?xml version="1.0"?>\n<!-- a <svg> -->\n<svg width="32px" height=\'24\'>'),
    '32 × 24',
  ],
  ['SVG, by its view box', 'image/svg+xml', bytesOf('<svg\n viewBox="-5 0 199.5, 184" width="100%">'), '199.5 × 184'],
  ['MP3', 'audio/mpeg', bytesOf('ID3\x04\0\0', 0, 0, 0, 20), undefined],
  ['PDF', 'application/pdf', makePdf([['one']]), undefined],
  ['ZIP', 'application/zip', zip(['a/b.txt']), undefined],
  [
    'a document of Word',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    zip(['[Content_Types].xml', 'word/document.xml']),
    undefined,
  ],
  ['gzip', 'application/gzip', bytesOf('\x1f\x8b\x08'), undefined],
])('describes %s', (_what, mediaType, bytes, expected) => {
  expect(describeMedia(bytes, mediaType)).toBe(expected)
})

describe('media whose type is wrong or too general', () => {
  test.each([
    ['application/octet-stream', png(8, 6), 'png, 8 × 6'],
    ['image/jpeg', png(8, 6), 'in fact png, 8 × 6'],
    ['image/x-unknown', png(8, 6), 'png, 8 × 6'],
    ['application/octet-stream', zip(['xl/workbook.xml']), 'zip'],
    ['application/java-archive', zip(['META-INF/MANIFEST.MF', 'a.class']), undefined],
    ['application/x-made-of-zip', zip(['a']), undefined],
    ['application/pdf', zip(['a']), 'in fact zip'],
    ['application/octet-stream', bytesOf('SQLite format 3\0'), 'sqlite'],
    ['application/octet-stream', bytesOf('\x7fELF\x02'), 'elf'],
    ['application/octet-stream', bytesOf('PAR1\x15'), 'parquet'],
    ['application/octet-stream', bytesOf('\0asm\x01'), 'wasm'],
    ['application/x-sqlite3', bytesOf('SQLite format 3\0'), undefined],
    ['audio/ogg', bytesOf('OggS\0', little(0, 40)), undefined],
  ])('are described by their bytes if declared as %s', (mediaType, bytes, expected) => {
    expect(describeMedia(bytes, mediaType)).toBe(expected)
  })
})

test.each([
  'BM of the bitmap that a text begins with, and more of it',
  'ID3 is a tag',
  'MZ and PE\0\0',
  'GIF',
  'RIFF raff, a text that goes on',
  '\xff\xfea\0b\0',
  '\xfe\xff\0a\0b',
  '<svgs>',
  '<!-- <svg> --><html></html>',
  '<html><svg width="1" height="1"></svg></html>',
  '%!PS-Adobe-3.0',
  '',
])('a text that starts with %j is not media', (text) => {
  expect(mediaFormatOf(bytesOf(text))).toBeUndefined()
})

const samples = [...[png(8, 6), jpeg(8, 6), webp('VP8X', little(0, 20))], ...[zip(['a']), makePdf([['one']])]]

test('describing damaged media never throws, and never gives wrong facts', () => {
  const damages = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 20 })
  fc.assert(
    fc.property(fc.constantFrom(...samples), fc.nat(2_000), damages, (sample, length, damaged) => {
      const bytes = sample.slice(0, length)
      for (const [at, value] of damaged) if (bytes.length > 0) bytes[at % bytes.length] = value
      expect(describeMedia(bytes, 'application/octet-stream') ?? '').not.toMatch(/NaN|undefined|Infinity|-\d/)
    }),
    { numRuns: 2_000 },
  )
})

test('a hostile JPEG file is described in bounded time', () => {
  const bytes = bytesOf('\xff\xd8', new Uint8Array(8 * 1_048_576).fill(0xff))
  expect(describeMedia(bytes, 'application/octet-stream')).toBe('jpeg')
})
