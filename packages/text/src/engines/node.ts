import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import type Zlib from 'node:zlib'
import type { CompressCallback, ZlibOptions, ZstdOptions } from 'node:zlib'
import { IsolationError, type IsolatedProgram } from '../platform/platform.ts'
import { TAG_BYTES, type Aes256Gcm } from './aes-256-gcm.ts'
import type { BlockCodec } from './block-codec.ts'
import { createWorkerPool, WorkerFailure, WorkerTimeout } from './node-worker-pool.ts'

export { createPatternMatcher } from './node-pattern-matcher.ts'

/** Not imported: few programs need it, and loading it takes a millisecond. */
const zlib = (): typeof Zlib => process.getBuiltinModule('node:zlib')

/** Output is gathered in pieces of this size: the usual 16 KB make a trip between threads for each. */
const CHUNK_BYTES = 65_536

/** Up to this size work is done in place, in about 0.2 ms: a trip to another thread costs several times as much. */
const MAX_BYTES_IN_PLACE = 65_536
/** Higher levels take longer. */
const MAX_LEVEL_IN_PLACE = 9

/** Gzip (RFC 1952), by zlib, large content on its threads. Levels go from 1, the fastest, to 9, which higher ones are too. */
export const gzip: BlockCodec = {
  async compress(bytes, level) {
    const options: ZlibOptions = { level: Math.min(9, level), chunkSize: CHUNK_BYTES }
    if (isSmall(bytes)) return plain(zlib().gzipSync(bytes, options))
    return await settled((callback) => zlib().gzip(bytes, options, callback))
  },
  decompress: (bytes, maxBytes) =>
    unlessDamaged(async () => {
      const options: ZlibOptions = limited(maxBytes)
      if (maxBytes <= MAX_BYTES_IN_PLACE) return plain(zlib().gunzipSync(bytes, options))
      return await settled((callback) => zlib().gunzip(bytes, options, callback))
    }),
}

/** Zstandard (RFC 8878), from Node.js 22.15 and 23.8 on, large content on threads. Levels go from 1, the fastest, to 22. */
export const zstd: BlockCodec | undefined =
  process.versions['zstd'] === undefined
    ? undefined
    : {
        async compress(bytes, level) {
          const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = zlib().constants
          const params = { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: 1 }
          const options: ZstdOptions = { params, chunkSize: CHUNK_BYTES }
          if (isSmall(bytes) && level <= MAX_LEVEL_IN_PLACE) return plain(zlib().zstdCompressSync(bytes, options))
          return await settled((callback) => zlib().zstdCompress(bytes, options, callback))
        },
        decompress: (bytes, maxBytes) =>
          unlessDamaged(async () => {
            const options: ZstdOptions = limited(maxBytes)
            if (maxBytes <= MAX_BYTES_IN_PLACE) return plain(zlib().zstdDecompressSync(bytes, options))
            return await settled((callback) => zlib().zstdDecompress(bytes, options, callback))
          }),
      }

const isSmall = ({ byteLength }: Uint8Array): boolean => byteLength <= MAX_BYTES_IN_PLACE

/** Output never grows beyond what was asked for, whatever the bytes say. */
const limited = (maxBytes: number): { readonly chunkSize: number; readonly maxOutputLength: number } => ({
  chunkSize: Math.max(64, maxBytes),
  maxOutputLength: Math.max(1, maxBytes),
})

const plain = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

function settled(run: (callback: CompressCallback) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    run((error, result) => {
      if (error === null) resolve(plain(result))
      else reject(error)
    })
  })
}

/** What zlib says of damaged bytes, of more than was asked for, and of more than there can be memory for. */
const REFUSED = /^(?:Z_|ZSTD_|ERR_BUFFER_TOO_LARGE$|ERR_OUT_OF_RANGE$|ERR_MEMORY_ALLOCATION_FAILED$)/
/** What V8 says of the last, without a code. */
const NO_MEMORY = 'Array buffer allocation failed'

async function unlessDamaged(run: () => Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await run()
  } catch (error) {
    const { code = '', message } = error as Error & { readonly code?: string }
    if (REFUSED.test(code) || message === NO_MEMORY) return undefined
    throw error
  }
}

/** Make the cipher of a key of 32 bytes. */
export function createAes256Gcm(key: Uint8Array): Aes256Gcm {
  const secret = createSecretKey(key)
  return {
    async seal(nonce, bytes) {
      const cipher = createCipheriv('aes-256-gcm', secret, nonce)
      const sealed = new Uint8Array(bytes.byteLength + TAG_BYTES)
      sealed.set(cipher.update(bytes))
      cipher.final()
      sealed.set(cipher.getAuthTag(), bytes.byteLength)
      return sealed
    },
    async open(nonce, sealed) {
      const length = sealed.byteLength - TAG_BYTES
      if (length < 0) return undefined
      const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(sealed.subarray(length))
      const opened = decipher.update(sealed.subarray(0, length))
      try {
        decipher.final()
      } catch (error) {
        // OpenSSL says no more than that: the tag does not fit.
        if (error instanceof Error) return undefined
        throw error
      }
      return new Uint8Array(opened.buffer, opened.byteOffset, opened.byteLength)
    },
  }
}

/** Derive a key: HKDF with SHA-256 (RFC 5869). */
export async function hkdfSha256(
  key: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  length: number,
): Promise<Uint8Array> {
  return new Uint8Array(hkdfSync('sha256', key, salt, info, length))
}

/** Compute an HMAC with SHA-256 (RFC 2104). */
export async function hmacSha256(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(createHmac('sha256', key).update(bytes).digest())
}

/**
 * Run a program in workers, which are ended where they take longer than they are given, or more memory.
 *
 * @param source - The text of the program, so that no bundler, loader or test runner has to find a file. It must answer
 * each message of `parentPort` with one message.
 * @param maxMemoryMb - Megabytes that a worker may hold.
 */
export function isolate(source: string, maxMemoryMb: number): IsolatedProgram | undefined {
  const pool = createWorkerPool(source, { maxMemoryMb })
  return {
    async run(message, deadlineMs) {
      try {
        return await pool.run(message, deadlineMs)
      } catch (cause) {
        if (cause instanceof WorkerTimeout)
          throw new IsolationError('timeout', `It took longer than ${deadlineMs} ms.`, { cause })
        if (!(cause instanceof WorkerFailure)) throw cause
        throw cause.started
          ? new IsolationError('ended', `It failed, or needs more than ${maxMemoryMb} MB of memory.`, { cause })
          : new IsolationError('unavailable', 'No worker can be started here.', { cause })
      }
    },
  }
}
