/** What Spillway needs of a runtime that is not Node.js, by web standards alone. `node.ts` exports the same names. */
import { concatBytes, copyBytes } from '../shared/bytes.ts'
import type { Sha256 } from './platform.ts'

/** `crypto.getRandomValues` fills at most this many bytes per call. */
const MAX_RANDOM_BYTES = 65_536
/** Well below the number of arguments that a call may have in any engine. */
const MAX_CHARACTERS_AT_ONCE = 8_192

/** Start a SHA-256. The web has no incremental one, so the bytes are kept until `digest`. */
export function createSha256(): Sha256 {
  const chunks: Uint8Array[] = []
  return {
    update: (bytes) => void chunks.push(copyBytes(bytes)),
    digest: async () =>
      new Uint8Array(await crypto.subtle.digest('SHA-256', concatBytes(chunks) as Uint8Array<ArrayBuffer>)),
  }
}

/** Return `length` bytes from a cryptographic source. */
export function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let offset = 0; offset < length; offset += MAX_RANDOM_BYTES) {
    crypto.getRandomValues(bytes.subarray(offset, offset + MAX_RANDOM_BYTES))
  }
  return bytes
}

/** Decode Base64, plain or URL-safe; `undefined` for what is none. */
export function decodeBase64(base64: string): Uint8Array | undefined {
  const plain = base64.replaceAll('-', '+').replaceAll('_', '/')
  try {
    return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidCharacterError') return undefined
    throw error
  }
}

/** Write bytes as Base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let offset = 0; offset < bytes.length; offset += MAX_CHARACTERS_AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(offset, offset + MAX_CHARACTERS_AT_ONCE))
  }
  return btoa(binary)
}

/** Let timers, I/O and other calls have their turn. A millisecond passes, or four in a browser: call it rarely. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** Tell the developer of a fault that must not fail the operation at hand. */
export function warn(message: string, cause: unknown): void {
  globalThis.console.warn(`SpillwayWarning: ${message}`, cause)
}

/** The web has no workers that every runtime could start from a text, so SQLite cannot be ended there. */
export function locateSqlite(): string | undefined {
  return undefined
}
