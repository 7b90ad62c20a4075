import { expect, test } from 'vitest'
import { isCompressedType } from './compressed-driver.ts'

test.each([
  'image/png',
  'Image/JPEG; q=1',
  'video/mp4',
  'audio/mpeg',
  'application/zip',
  'application/gzip',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.text',
  'application/made-up+zip',
  'font/woff2',
])('%s is compressed', (type) => {
  expect(isCompressedType(type)).toBe(true)
})

test.each([
  'text/plain',
  'application/json; charset=utf-8',
  'image/svg+xml',
  'image/bmp',
  'audio/wav',
  'application/octet-stream',
  'application/x-tar',
  'application/ld+json',
  'font/ttf',
])('%s is not', (type) => {
  expect(isCompressedType(type)).toBe(false)
})
