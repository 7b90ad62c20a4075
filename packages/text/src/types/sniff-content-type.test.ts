import { bytesOf, little, png } from '@spillway-internal/test-inputs'
import { expect, test } from 'vitest'
import { sniffContentType } from './sniff-content-type.ts'

test.each([
  [png(8, 6), 'image/png'],
  [bytesOf('%PDF-1.7\n'), 'application/pdf'],
  [bytesOf('GIF89a, says a text'), 'text/plain'],
  [bytesOf('<svg width="1" height="1"/>'), 'text/plain'],
  [bytesOf(''), 'text/plain'],
  [bytesOf('a', little(0, 3)), 'application/octet-stream'],
  [bytesOf('a'.repeat(8_192), 0), 'text/plain'],
])('a content type is detected from the first bytes (%#)', (bytes, expected) => {
  expect(sniffContentType(bytes)).toBe(expected)
})
