import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf, jpeg, little, makePdf, png, zip } from '@spillway-internal/test-inputs'
import { describeMedia } from './describe-media.ts'
import { mediaFormatOf } from '@spillway/text/internal'

const webp = (...parts: readonly (string | number | Uint8Array)[]): Uint8Array =>
  bytesOf('RIFF', little(0, 4), 'WEBP', ...parts)

test.each<[what: string, mediaType: string, bytes: Uint8Array, expected: string | undefined]>([
  ['PNG', 'image/png', png(800, 600), '800 × 600'],
  ['JPEG, with the thumbnail of a camera before', 'image/jpeg', jpeg(4_000, 3_000), '4000 × 3000'],
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
  ['PDF', 'application/pdf', makePdf([['one'], ['two'], ['three']]), '3 pages'],
  ['ZIP, files without folders', 'application/zip', zip(['a/', 'a/b.txt', 'c'], 'a comment PK'), '2 files'],
  [
    'a document of Word',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    zip(['[Content_Types].xml', 'word/document.xml']),
    '2 files',
  ],
  ['gzip', 'application/gzip', bytesOf('\x1f\x8b\x08'), undefined],
])('%s', (_what, mediaType, bytes, expected) => {
  expect(describeMedia(bytes, mediaType, bytes.length)).toBe(expected)
})

describe('media whose type is wrong or too general', () => {
  test.each([
    ['application/octet-stream', png(8, 6), 'png, 8 × 6'],
    ['image/jpeg', png(8, 6), 'in fact png, 8 × 6'],
    ['image/x-unknown', png(8, 6), 'png, 8 × 6'],
    ['application/octet-stream', zip(['xl/workbook.xml']), 'xlsx, 1 file'],
    ['application/zip', zip(['META-INF/MANIFEST.MF', 'a.class']), 'in fact jar, 2 files'],
    ['application/java-archive', zip(['META-INF/MANIFEST.MF', 'a.class']), '2 files'],
    ['application/x-made-of-zip', zip(['a']), '1 file'],
    ['application/pdf', zip(['a']), 'in fact zip, 1 file'],
    ['application/octet-stream', bytesOf('SQLite format 3\0'), 'sqlite'],
    ['application/octet-stream', bytesOf('\x7fELF\x02'), 'elf'],
    ['application/octet-stream', bytesOf('PAR1\x15'), 'parquet'],
    ['application/octet-stream', bytesOf('\0asm\x01'), 'wasm'],
    ['application/x-sqlite3', bytesOf('SQLite format 3\0'), undefined],
    ['audio/ogg', bytesOf('OggS\0', little(0, 40)), undefined],
  ])('%s', (mediaType, bytes, expected) => {
    expect(describeMedia(bytes, mediaType, bytes.length)).toBe(expected)
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
])('the type %j is not media', (text) => {
  expect(mediaFormatOf(bytesOf(text))).toBeUndefined()
})

describe('the number of files or pages is left out if uncertain', () => {
  test('for a ZIP file with a damaged directory', () => {
    const bytes = zip(['a', 'b', 'c'])
    bytes[bytes.length - 12] = 7
    expect(describeMedia(bytes, 'application/zip', bytes.length)).toBeUndefined()
  })

  test('for an archive of which only the start is available', () => {
    const bytes = zip(['a', 'b'])
    expect(describeMedia(bytes, 'application/zip', 9_999)).toBeUndefined()
  })

  test('for a PDF that was changed or is incomplete', () => {
    const pdf = makePdf([['one'], ['two']])
    const text = String.fromCharCode(...pdf)
    const count = (changed: string): string | undefined =>
      describeMedia(bytesOf(changed), 'application/pdf', changed.length)
    expect(count(text)).toBe('2 pages')
    expect(count(text.slice(0, -30))).toBeUndefined()
    expect(count(text.replace('/Type /Pages', '/Type /Xages'))).toBeUndefined()
    expect(count(text.replace('/Root 1 0 R', '/Root 3 0 R'))).toBeUndefined()
    expect(count(text.replace('/Root 1 0 R', '/Root 1 0 R /XRefStm 99'))).toBeUndefined()
    expect(count(text.replace('/Root 1 0 R', '/Root 1 0 R /Prev 999999'))).toBeUndefined()
    const table = text.lastIndexOf('xref\n0 ')
    const update = `xref\n0 0\ntrailer\n<< /Root 1 0 R /Prev ${table} >>\nstartxref\n${text.length}\n%%EOF\n`
    expect(count(text + update)).toBe('2 pages')
    expect(count(`${text}${update.replace(`/Prev ${table}`, `/Prev ${text.length}`)}`)).toBeUndefined()
  })

  test('for a linearized PDF that was extended', () => {
    const linearized = (length: number): string =>
      `%PDF-1.7\n9 0 obj\n<</Linearized 1/L ${length}/N 12>>\nendobj\n`.padEnd(500, ' ')
    expect(describeMedia(bytesOf(linearized(500)), 'application/pdf', 500)).toBe('12 pages')
    expect(describeMedia(bytesOf(linearized(499)), 'application/pdf', 500)).toBeUndefined()
  })
})

const samples = [
  ...[png(8, 6), jpeg(8, 6), webp('VP8X', little(0, 20))],
  ...[zip(['a', 'b/', 'xl/workbook.xml']), makePdf([['one']])],
]

test('damaged media never throw or give wrong facts', () => {
  const damages = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 20 })
  fc.assert(
    fc.property(fc.constantFrom(...samples), fc.nat(2_000), damages, (sample, length, damaged) => {
      const bytes = sample.slice(0, length)
      for (const [at, value] of damaged) if (bytes.length > 0) bytes[at % bytes.length] = value
      for (const size of [bytes.length, bytes.length + 5_000])
        expect(describeMedia(bytes, 'application/octet-stream', size) ?? '').not.toMatch(/NaN|undefined|Infinity|-\d/)
    }),
    { numRuns: 2_000 },
  )
})

const MEGABYTES = 8 * 1_048_576
test.each([
  ['segments of a JPEG file', bytesOf('\xff\xd8', new Uint8Array(MEGABYTES).fill(0xff))],
  [
    'sections of a PDF',
    bytesOf('%PDF-1.7\nxref\n', '0 0\n'.repeat(500_000), 'trailer << /Root 1 0 R >> startxref\n9\n'),
  ],
  ['ends of a ZIP file', bytesOf('PK\x03\x04', 'PK\x05\x06'.repeat(500_000))],
])('hostile %s are described in bounded time', (_what, bytes) => {
  expect((describeMedia(bytes, 'application/octet-stream', bytes.length) ?? '').length).toBeLessThan(200)
})
