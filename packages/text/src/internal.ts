/** Exports for other packages of Spillway, not for users. These exports may change in any version. */
export {
  cleanLine,
  countOf,
  escapeAround,
  escapeEnd,
  formatCount,
  isDrawn,
  MAX_ESCAPE,
  startLines,
  visibleText,
} from './lines/clean-line.ts'
export { stripEscapes } from './lines/clean-line.ts'
export { decodeText, hasWidePart, NulFilter, textEncodingOf, type TextEncoding } from './lines/text-encoding.ts'
export { indentLargeJson, jsonParts } from './json/indent-large-json.ts'
export type { LineRange } from './lines/line-index.ts'
export { LineReader, type LineSink } from './lines/line-reader.ts'
export {
  checkedCountTokens,
  estimateLargeTokens,
  estimateTokens,
  longerThan,
  TokenSampler,
  type CountTokens,
} from './tokens/estimate-tokens.ts'
export { cutAtGrapheme, cutWithMark } from './tokens/cut-at-grapheme.ts'
export {
  indentJson,
  isMediaBlock,
  isStorable,
  safeName,
  type ContentBlock,
  type JsonBlock,
  type LinkBlock,
  type MediaBlock,
  type TextBlock,
  type UnknownBlock,
} from './types/content-block.ts'
export {
  contentTypeEssence,
  contentTypeForExtension,
  extensionForContentType,
  isTextContentType,
  mayBeText,
  mediaFormat,
  mediaKind,
} from './types/content-types.ts'
export {
  ByteView,
  documentText,
  mediaFormatOf,
  sniffContentType,
  withoutComments,
  type MediaFormat,
} from './types/sniff-content-type.ts'
export { BoundedMap, RecencyMap } from './shared/bounded-map.ts'
export { KeyedLock } from './shared/keyed-lock.ts'
export { concatBytes, copyBytes, isBytes, plainBytes, toHex } from './shared/bytes.ts'
export { detach } from './shared/detach.ts'
export { escapeExpression, unicodeEscape } from './shared/escape-expression.ts'
export { decodeExactly, parseJsonText } from './shared/lenient-parse.ts'
export { isDeepEqual } from './shared/is-deep-equal.ts'
export { orAborted } from './shared/or-aborted.ts'
export { perSubject } from './shared/per-subject.ts'
export { TextCodes } from './platform/text-codes.ts'
export { yieldToOthers, yieldWhenDue } from './platform/yield-to-others.ts'
export { closestNames } from './shared/closest-names.ts'
export {
  createSha256,
  decodeBase64,
  encodeBase64,
  findBytes,
  locateSqlite,
  randomBytes,
  utf8Length,
  utf8Text,
  warn,
  workMilliseconds,
  yieldToEventLoop,
} from '#platform'
export {
  IsolationError,
  LONG_LINE_LENGTH,
  PatternError,
  type PatternErrorCode,
  type PatternMatcher,
} from './platform/platform.ts'
