import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  contentTypeEssence,
  contentTypeForExtension,
  extensionForContentType,
  isTextContentType,
} from './content-types.ts'

describe('extensionForContentType', () => {
  // Names of stored files have these extensions. If a line changes, stored content of users is not found.
  test.each([
    ['text/plain', '.txt'],
    ['application/json', '.json'],
    ['application/x-ndjson', '.ndjson'],
    ['text/csv', '.csv'],
    ['text/tab-separated-values', '.tsv'],
    ['text/html', '.html'],
    ['text/markdown', '.md'],
    ['text/xml', '.xml'],
    ['application/xml', '.xml'],
    ['application/yaml', '.yaml'],
    ['text/x-diff', '.diff'],
    ['application/javascript', '.js'],
    ['image/png', '.png'],
    ['image/jpeg', '.jpg'],
    ['image/jpg', '.jpg'],
    ['image/gif', '.gif'],
    ['image/webp', '.webp'],
    ['image/svg+xml', '.svg'],
    ['audio/mpeg', '.mp3'],
    ['audio/x-wav', '.wav'],
    ['video/mp4', '.mp4'],
    ['video/quicktime', '.mov'],
    ['application/pdf', '.pdf'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '.docx'],
    ['application/vnd.ms-excel', '.xls'],
    ['application/octet-stream', '.bin'],
  ])('maps %s to %s', (contentType, extension) => {
    expect(extensionForContentType(contentType)).toBe(extension)
  })

  test('ignores parameters, letter case and spaces', () => {
    expect(extensionForContentType(' Text/HTML ; charset="utf-8"; x=.json')).toBe('.html')
  })

  test('uses the structured suffix of unknown types', () => {
    expect(extensionForContentType('application/problem+json')).toBe('.json')
    expect(extensionForContentType('application/atom+xml')).toBe('.xml')
  })

  test('maps unknown text to .txt and all other unknown types to .bin', () => {
    expect(extensionForContentType('text/x-made-up')).toBe('.txt')
    for (const unknown of ['application/x-made-up', '', 'constructor', '__proto__', 'text', '../../etc/passwd'])
      expect(extensionForContentType(unknown)).toBe('.bin')
  })

  test('returns a short, plain extension for any type', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z]+\/[a-z.+-]+(;.*)?$/)), (contentType) => {
        expect(extensionForContentType(contentType)).toMatch(/^\.[a-z0-9]{1,8}$/)
      }),
    )
  })
})

describe('contentTypeForExtension', () => {
  test.each([
    ['.txt', 'text/plain'],
    ['json', 'application/json'],
    ['.JPEG', 'image/jpeg'],
    ['.yml', 'application/yaml'],
    ['.patch', 'text/x-diff'],
    ['.pdf', 'application/pdf'],
  ])('maps %s to %s', (extension, contentType) => {
    expect(contentTypeForExtension(extension)).toBe(contentType)
  })

  test('returns undefined for an unknown extension', () => {
    for (const unknown of ['', '.', '.made-up', 'constructor', '__proto__', '..txt'])
      expect(contentTypeForExtension(unknown)).toBeUndefined()
  })

  test('returns a type that maps back to the extension', () => {
    for (const extension of ['.txt', '.md', '.tsx', '.htm', '.jpeg', '.mpg', '.cc', '.bin', '.gz', '.log']) {
      const contentType = contentTypeForExtension(extension) ?? 'unknown'
      expect(contentTypeForExtension(extensionForContentType(contentType))).toBe(contentType)
    }
  })
})

it.each([
  'text/plain',
  'text/csv',
  'TEXT/HTML; charset=utf-8',
  'text/vnd.anything',
  'application/json',
  'Application/JSON;charset=utf-8',
  'application/xml',
  'application/javascript',
  'application/typescript',
  'application/yaml',
  'application/x-yaml',
  'application/toml',
  'application/sql',
  'application/graphql',
  'application/xhtml+xml',
  'application/x-ndjson',
  'application/ld+json',
  'application/vnd.github.v3+json',
  'application/csv',
  'application/md',
  'image/svg+xml',
])('the content type %s is text', (contentType) => {
  expect(isTextContentType(contentType)).toBe(true)
})

it.each([
  '',
  'text',
  'text/',
  '/',
  'image/png',
  'audio/mpeg',
  'video/mp4',
  'application/pdf',
  'application/octet-stream',
  'application/zip',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'image/json',
  'application/jsonp+zip',
])('the content type %j is binary', (contentType) => {
  expect(isTextContentType(contentType)).toBe(false)
})

test.each([
  ['text/plain', 'text/plain'],
  [' Text/HTML ; charset=utf-8; q=1', 'text/html'],
  ['', ''],
  [';', ''],
])('the base type of %j is %j', (contentType, essence) => {
  expect(contentTypeEssence(contentType)).toBe(essence)
})
