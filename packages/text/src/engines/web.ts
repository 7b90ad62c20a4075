/** Engines of other runtimes, built on web standards. `node.ts` exports the same names. */
import {
  noWorkers,
  type IsolatedProgram,
  type PatternFlags,
  type PatternLimits,
  type PatternMatcher,
} from '../platform/platform.ts'
import { concatBytes } from '../shared/bytes.ts'
import { TAG_BYTES, type Aes256Gcm } from './aes-256-gcm.ts'
import type { BlockCodec } from './block-codec.ts'
import type { SqlEngine } from './sql-engine.ts'

/** Create a matcher that rejects every pattern, because a pattern cannot be stopped without workers. */
export function createPatternMatcher(_pattern: string, _flags: PatternFlags, _limits: PatternLimits): PatternMatcher {
  return {
    match: async () => {
      throw noWorkers()
    },
  }
}

/** Return `undefined`. No web standard starts a worker from a string, so programs run on this thread. */
export function isolate(_source: string, _maxMemoryMb: number): IsolatedProgram | undefined {
  return undefined
}

/** Return `undefined`, because SQL needs workers. */
export function sqlEngine(): SqlEngine | undefined {
  return undefined
}

/** Gzip (RFC 1952) with the web's compression streams, which have no levels. */
export const gzip: BlockCodec = {
  compress: async (bytes) => {
    const compressed = await through(new CompressionStream('gzip'), bytes, Infinity)
    if (compressed === undefined) throw new Error('The runtime could not compress.')
    return compressed
  },
  decompress: (bytes, maxBytes) => through(new DecompressionStream('gzip'), bytes, maxBytes),
}

export const zstd: BlockCodec | undefined = undefined

async function through(
  { readable, writable }: CompressionStream | DecompressionStream,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const writer = writable.getWriter()
  // If writing fails, reading below fails too and handles the error.
  void Promise.allSettled([writer.write(bytes as Uint8Array<ArrayBuffer>), writer.close()])
  const reader = (readable as ReadableStream<Uint8Array>).getReader()
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
      size += value.byteLength
      if (size <= maxBytes) continue
      await reader.cancel()
      return undefined
    }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
  return concatBytes(parts)
}

type Bytes = Uint8Array<ArrayBuffer>

export function createAes256Gcm(key: Uint8Array): Aes256Gcm {
  const imported = crypto.subtle.importKey('raw', key as Bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const algorithm = (nonce: Uint8Array): AesGcmParams => ({
    name: 'AES-GCM',
    iv: nonce as Bytes,
    tagLength: TAG_BYTES * 8,
  })
  return {
    async seal(nonce, bytes) {
      return new Uint8Array(await crypto.subtle.encrypt(algorithm(nonce), await imported, bytes as Bytes))
    },
    async open(nonce, sealed) {
      if (sealed.byteLength < TAG_BYTES) return undefined
      try {
        return new Uint8Array(await crypto.subtle.decrypt(algorithm(nonce), await imported, sealed as Bytes))
      } catch (error) {
        if (error instanceof DOMException && error.name === 'OperationError') return undefined
        throw error
      }
    },
  }
}

/** Derive a key with HKDF and SHA-256 (RFC 5869). */
export async function hkdfSha256(
  key: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  length: number,
): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key as Bytes, 'HKDF', false, ['deriveBits'])
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: salt as Bytes, info: info as Bytes }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, imported, length * 8))
}

export async function hmacSha256(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key as Bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytes as Bytes))
}
