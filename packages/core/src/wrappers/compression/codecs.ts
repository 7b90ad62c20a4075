import { gzip, zstd, type BlockCodec } from '@spillway/text/internal/engines'

/** How blocks are compressed. */
export type CodecName = 'gzip' | 'zstd'

const CONTENT_TYPES: Readonly<Record<CodecName, string>> = { gzip: 'application/gzip', zstd: 'application/zstd' }

/** Return a codec, or `undefined` where the runtime lacks it. */
export const findCodec = (name: CodecName): BlockCodec | undefined => (name === 'gzip' ? gzip : zstd)

/** What compressed content is to a backend. */
export const compressedContentType = (name: CodecName): string => CONTENT_TYPES[name]

export const isCodecName = (value: unknown): value is CodecName => value === 'gzip' || value === 'zstd'
