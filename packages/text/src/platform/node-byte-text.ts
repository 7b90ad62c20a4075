/** What `byte-text.ts` does, by the native functions of Node.js. */
import { Buffer, isAscii } from 'node:buffer'

/** Return where `needle` begins in `bytes` at or after `from`, or -1. */
export function findBytes(bytes: Uint8Array, needle: Uint8Array, from: number): number {
  return Buffer.prototype.indexOf.call(bytes, needle, from)
}

/** Tell whether all bytes from `start` to `end` are ASCII. */
export function isAsciiBytes(bytes: Uint8Array, start: number, end: number): boolean {
  return isAscii(bytes.subarray(start, end))
}

/** Read bytes as text with one UTF-16 unit for each, which is ASCII just where the byte is. */
export function singleByteText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.prototype.latin1Slice.call(bytes, start, end)
}

/** Read bytes as UTF-8; what is invalid becomes U+FFFD, and a byte order mark stays. */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.prototype.utf8Slice.call(bytes, start, end)
}
