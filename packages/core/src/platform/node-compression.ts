import type Zlib from 'node:zlib'
import type { CompressCallback, ZlibOptions, ZstdOptions } from 'node:zlib'
import type { BlockCodec } from './block-codec.ts'

/** Not imported: few programs need it, and loading it takes a millisecond. */
const zlib = (): typeof Zlib => process.getBuiltinModule('node:zlib')

/** Output is gathered in pieces of this size: the usual 16 KB make a trip between threads for each. */
const CHUNK_BYTES = 65_536

/** Gzip (RFC 1952), by zlib, on its threads. Levels go from 1, the fastest, to 9, which higher ones are too. */
export const gzip: BlockCodec = {
  compress: (bytes, level) =>
    settled((callback) =>
      zlib().gzip(bytes, { level: Math.min(9, level), chunkSize: CHUNK_BYTES } satisfies ZlibOptions, callback),
    ),
  decompress: (bytes, maxBytes) =>
    unlessDamaged((callback) => zlib().gunzip(bytes, limited(maxBytes) satisfies ZlibOptions, callback)),
}

/** Zstandard (RFC 8878), from Node.js 22.15 and 23.8 on. Levels go from 1, the fastest, to 22. */
export const zstd: BlockCodec | undefined =
  process.versions['zstd'] === undefined
    ? undefined
    : {
        compress: (bytes, level) =>
          settled((callback) => {
            const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = zlib().constants
            const params = { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: 1 }
            zlib().zstdCompress(bytes, { params, chunkSize: CHUNK_BYTES } satisfies ZstdOptions, callback)
          }),
        decompress: (bytes, maxBytes) =>
          unlessDamaged((callback) => zlib().zstdDecompress(bytes, limited(maxBytes) satisfies ZstdOptions, callback)),
      }

const limited = (maxBytes: number): { readonly chunkSize: number; readonly maxOutputLength: number } => ({
  chunkSize: Math.max(64, maxBytes),
  maxOutputLength: Math.max(1, maxBytes),
})

function settled(run: (callback: CompressCallback) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    run((error, result) => {
      if (error === null) resolve(new Uint8Array(result.buffer, result.byteOffset, result.byteLength))
      else reject(error)
    })
  })
}

async function unlessDamaged(run: (callback: CompressCallback) => void): Promise<Uint8Array | undefined> {
  try {
    return await settled(run)
  } catch (error) {
    const { code = '' } = error as { readonly code?: string }
    if (/^(?:Z_|ZSTD_|ERR_BUFFER_TOO_LARGE$)/.test(code)) return undefined
    throw error
  }
}
