/** Engines of Node.js: patterns in workers, codecs, ciphers. `web.ts` exports the same names for every other runtime. */
export { gzip, zstd } from './node-compression.ts'
export { createAes256Gcm, hkdfSha256, hmacSha256 } from './node-encryption.ts'
export { isolate } from './node-isolate.ts'
export { createPatternMatcher } from './node-pattern-matcher.ts'
