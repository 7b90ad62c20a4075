import { expect, it } from 'vitest'
import { isTextContentType } from './text-content-type.ts'

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
])('takes %s for text', (contentType) => {
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
])('takes %j for binary', (contentType) => {
  expect(isTextContentType(contentType)).toBe(false)
})
