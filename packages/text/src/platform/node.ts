/** What Spillway needs of Node.js. `web.ts` exports the same names for every other runtime. */
import { Buffer } from 'node:buffer'
import { createHash, randomFillSync } from 'node:crypto'
import type { Sha256 } from './platform.ts'

export { findBytes, isAsciiBytes, singleByteText, utf8Text } from './node-byte-text.ts'
export { warn } from './node-warn.ts'

/** Start a SHA-256. */
export function createSha256(): Sha256 {
  const hash = createHash('sha256')
  return {
    update: (bytes) => {
      hash.update(bytes)
    },
    digest: async () => new Uint8Array(hash.digest()),
  }
}

/** Return `length` bytes from a cryptographic source. */
export function randomBytes(length: number): Uint8Array {
  return randomFillSync(new Uint8Array(length))
}

/** Decode Base64, plain or URL-safe; what it does not know is left out. */
export function decodeBase64(base64: string): Uint8Array | undefined {
  const { buffer, byteOffset, length } = Buffer.from(base64, 'base64')
  return new Uint8Array(buffer, byteOffset, length)
}

/** Write bytes as Base64. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Let timers, I/O and other calls have their turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
