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

test.each([
  ['FLV\x01\x05\0\0\0\x09', 'video/x-flv'],
  ['RIFF\x24\x08\0\0WAVEfmt ', 'audio/wav'],
  ['RIFF\x24\x08\0\0AVI LIST', 'video/x-msvideo'],
  ['ID3\x04\0\0\0\0\0\x23TSSE', 'audio/mpeg'],
  ['fLaC\0\0\0\x22', 'audio/flac'],
  ['MThd\0\0\0\x06\0\x01', 'audio/midi'],
  ['\0\0\x01\xba\x44\0', 'video/mpeg'],
  ['\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9', 'video/x-ms-wmv'],
  ['PK\x03\x04\x14\0', 'application/zip'],
  ['\x1f\x8b\x08\0\0', 'application/gzip'],
  ['7z\xbc\xaf\x27\x1c\0\x04', 'application/x-7z-compressed'],
  ['SQLite format 3\0\x10\0', 'application/vnd.sqlite3'],
  ['\0asm\x01\0\0\0', 'application/wasm'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0', 'application/x-ole-storage'],
])('the header %j belongs to %s', (header, expected) => {
  expect(sniffContentType(Buffer.from(`${header}${'\0'.repeat(64)}`, 'latin1'))).toBe(expected)
})
