/** How bytes are read as text and searched, on a runtime that has nothing but web standards. */

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const singleByte = new TextDecoder('latin1')

/** Return where `needle` begins in `bytes` at or after `from`, or -1. */
export function findBytes(bytes: Uint8Array, needle: Uint8Array, from: number): number {
  const first = needle[0]
  if (first === undefined) return from <= bytes.length ? from : -1
  const last = bytes.length - needle.length
  for (let at = bytes.indexOf(first, from); at >= 0 && at <= last; at = bytes.indexOf(first, at + 1)) {
    let length = 1
    while (length < needle.length && bytes[at + length] === needle[length]) length++
    if (length === needle.length) return at
  }
  return -1
}

/** Tell whether all bytes from `start` to `end` are ASCII. */
export function isAsciiBytes(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > 127) return false
  return true
}

/** Read bytes as text with one UTF-16 unit for each, which is ASCII just where the byte is. */
export function singleByteText(bytes: Uint8Array, start: number, end: number): string {
  return singleByte.decode(bytes.subarray(start, end))
}

/** Read bytes as UTF-8; what is invalid becomes U+FFFD, and a byte order mark stays. */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  return utf8.decode(bytes.subarray(start, end))
}
