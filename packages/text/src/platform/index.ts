export {
  createSha256,
  decodeBase64,
  encodeBase64,
  findBytes,
  isAsciiBytes,
  randomBytes,
  singleByteText,
  utf8Text,
  warn,
  yieldToEventLoop,
} from '#platform'
export {
  IsolationError,
  LONG_LINE_LENGTH,
  PatternError,
  type PatternErrorCode,
  type PatternMatcher,
} from './platform.ts'
