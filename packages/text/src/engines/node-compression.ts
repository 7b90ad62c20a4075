import type Zlib from 'node:zlib'
import type { CompressCallback, ZlibOptions, ZstdOptions } from 'node:zlib'
import type { BlockCodec } from './block-codec.ts'

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
