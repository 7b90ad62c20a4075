/** What Spillway needs of Node.js. `web.ts` exports the same names for every other runtime. */
import { Buffer } from 'node:buffer'
import { createHash, randomFillSync } from 'node:crypto'
import process from 'node:process'
import type { Sha256 } from './platform.ts'

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

/** Tell the developer of a fault that must not fail the operation at hand. */
export function warn(message: string, cause: unknown): void {
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  process.emitWarning(message, { type: 'SpillwayWarning', detail })
}

/** Return the address of SQLite as WebAssembly; `undefined` if it is not installed, or no worker may run it. */
export function locateSqlite(): string | undefined {
  const mayStartWorkers = process.permission?.has('worker') ?? true
  if (!mayStartWorkers) return undefined
  try {
    return import.meta.resolve('@sqlite.org/sqlite-wasm')
  } catch (error) {
    // Not installed, or part of a bundle.
    if (error instanceof Error) return undefined
    throw error
  }
}
