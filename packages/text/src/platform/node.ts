/** Functions of Node.js. `web.ts` exports the same names for other runtimes. */
import { Buffer } from 'node:buffer'
import { createHash, randomFillSync } from 'node:crypto'
import { endianness } from 'node:os'
import type { Sha256 } from './platform.ts'

export function createSha256(): Sha256 {
  const hash = createHash('sha256')
  return {
    update: (bytes) => {
      hash.update(bytes)
    },
    digest: async () => new Uint8Array(hash.digest()),
  }
}

export function randomBytes(length: number): Uint8Array {
  return randomFillSync(new Uint8Array(length))
}

/** Decode Base64, plain or URL-safe. Ignores invalid characters. */
export function decodeBase64(base64: string): Uint8Array | undefined {
  const { buffer, byteOffset, length } = Buffer.from(base64, 'base64')
  return new Uint8Array(buffer, byteOffset, length)
}

export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Return the offset of `needle` in `bytes` from `from` on, or -1. Ten times faster than `Uint8Array.indexOf`. */
export function findBytes(bytes: Uint8Array, needle: Uint8Array, from: number): number {
  // A call with a number takes half the time of a call with an array.
  return Buffer.prototype.indexOf.call(bytes, needle.length === 1 ? needle[0]! : needle, from)
}

export const utf8Length = (text: string): number => Buffer.byteLength(text)

export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.prototype.utf8Slice.call(bytes, start, end)
}

const isBigEndian = endianness() === 'BE'

/** Return a function that writes the UTF-16 units of a text to `units`, which must be long enough. */
export function unitsWriter({ buffer }: Uint16Array): (text: string) => void {
  const bytes = Buffer.from(buffer)
  return (text) => {
    bytes.write(text, 'utf16le')
    if (isBigEndian) bytes.swap16()
  }
}

/** The original `setImmediate`. Callers take turns, and must not wait for a clock that a test stopped. */
const nextTurn = setImmediate

export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve))
}

/** Milliseconds of work for several callers in one turn of the event loop. A server accepts one connection per turn. */
export const SHARED_TURN_MS = 1

/** Resolve after all microtasks, which include the reactions to settled promises. */
export const afterMicrotasks = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

/** Return the CPU time of this thread in milliseconds, or the elapsed time if Node.js does not report CPU time. */
export function workMilliseconds(): number {
  const { threadCpuUsage } = process as { readonly threadCpuUsage?: typeof process.threadCpuUsage }
  if (threadCpuUsage === undefined) return performance.now()
  const { user, system } = threadCpuUsage()
  return (user + system) / 1_000
}

/** Emit a process warning about a non-fatal fault. */
export function warn(message: string, cause: unknown): void {
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  process.emitWarning(message, { type: 'SpillwayWarning', detail })
}

/** Address of SQLite, or `null` if it is not installed. */
let sqlite: string | null | undefined

/** Return the address of the WebAssembly build of SQLite, or `undefined` if SQLite cannot run in workers. */
export function locateSqlite(): string | undefined {
  const mayStartWorkers = process.permission?.has('worker') ?? true
  if (!mayStartWorkers || sqlite === null) return undefined
  try {
    return (sqlite ??= import.meta.resolve('@sqlite.org/sqlite-wasm'))
  } catch (error) {
    // SQLite is not installed, or this module is part of a bundle.
    sqlite = null
    if (error instanceof Error) return undefined
    throw error
  }
}
