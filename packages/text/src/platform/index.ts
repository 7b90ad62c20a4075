export {
  createAes256Gcm,
  createPatternMatcher,
  createSha256,
  decodeBase64,
  encodeBase64,
  findBytes,
  gzip,
  hkdfSha256,
  hmacSha256,
  isAsciiBytes,
  isolate,
  randomBytes,
  singleByteText,
  utf8Text,
  warn,
  yieldToEventLoop,
  zstd,
} from '#platform'
export { type Aes256Gcm, TAG_BYTES } from './aes-256-gcm.ts'
export type { BlockCodec } from './block-codec.ts'
export {
  IsolationError,
  LONG_LINE_LENGTH,
  PatternError,
  type PatternErrorCode,
  type PatternMatcher,
} from './platform.ts'
