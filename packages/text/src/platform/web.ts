/** Functions of other runtimes than Node.js, built on web standards. `node.ts` exports the same names. */
import { concatBytes, copyBytes } from '../shared/bytes.ts'
import type { Sha256 } from './platform.ts'

const MAX_RANDOM_BYTES = 65_536
/** Number of characters in one call, below the largest number of arguments in any engine. */
const MAX_CHARACTERS_AT_ONCE = 8_192

/** Collect all bytes until `digest` is called, because the web has no incremental SHA-256. */
export function createSha256(): Sha256 {
  const chunks: Uint8Array[] = []
  return {
    update: (bytes) => void chunks.push(copyBytes(bytes)),
    digest: async () =>
      new Uint8Array(await crypto.subtle.digest('SHA-256', concatBytes(chunks) as Uint8Array<ArrayBuffer>)),
  }
}

export function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let offset = 0; offset < length; offset += MAX_RANDOM_BYTES) {
    crypto.getRandomValues(bytes.subarray(offset, offset + MAX_RANDOM_BYTES))
  }
  return bytes
}

/** Decode Base64, plain or URL-safe. Returns `undefined` if the text is invalid. */
export function decodeBase64(base64: string): Uint8Array | undefined {
  const plain = base64.replaceAll('-', '+').replaceAll('_', '/')
  try {
    return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidCharacterError') return undefined
    throw error
  }
}

export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let offset = 0; offset < bytes.length; offset += MAX_CHARACTERS_AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(offset, offset + MAX_CHARACTERS_AT_ONCE))
  }
  return btoa(binary)
}

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

const encoder = new TextEncoder()

export const utf8Length = (text: string): number => encoder.encode(text).length

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decode UTF-8. Invalid bytes become U+FFFD, and a byte order mark is kept. */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  return utf8.decode(bytes.subarray(start, end))
}

export function unitsWriter(units: Uint16Array): (text: string) => void {
  const bytes = new Uint8Array(units.length)
  return (text) => {
    const { length } = text
    const { read, written } = encoder.encodeInto(text, bytes)
    // If the text is ASCII, each byte is a unit.
    if (read === length && written === length) units.set(bytes.subarray(0, length))
    else for (let at = 0; at < length; at++) units[at] = text.charCodeAt(at)
  }
}

/** Yield to the event loop. A call takes 1 ms, or 4 ms in a browser, so call the function rarely. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** Milliseconds of work for several callers in one turn: as long as a slice, because a turn may take 4 ms. */
export const SHARED_TURN_MS = 5

/** Resolve after four microtasks. No web standard reports that all microtasks are done. */
export async function afterMicrotasks(): Promise<void> {
  for (let microtask = 0; microtask < 4; microtask++) await Promise.resolve()
}

/** Return the elapsed time. No web standard gives the CPU time of a thread. */
export function workMilliseconds(): number {
  return performance.now()
}

/** Emit a warning about a non-fatal fault. */
export function warn(message: string, cause: unknown): void {
  globalThis.console.warn(`SpillwayWarning: ${message}`, cause)
}

/** Return `undefined`. No web standard starts a worker from a string, so SQLite could not be terminated. */
export function locateSqlite(): string | undefined {
  return undefined
}
