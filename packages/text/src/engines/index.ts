export { createAes256Gcm, createPatternMatcher, gzip, hkdfSha256, hmacSha256, isolate, sqlEngine, zstd } from '#engines'
export { type Aes256Gcm, TAG_BYTES } from './aes-256-gcm.ts'
export type { BlockCodec } from './block-codec.ts'
export {
  largestTable,
  type CellBatch,
  type SqlColumn,
  type SqlDatabase,
  type SqlLimits,
  type SqlRows,
  type SqlTable,
} from './sql-engine.ts'
