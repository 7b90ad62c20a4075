export { decodeJsonString } from './decode-json-string.ts'
export {
  endOfString,
  isExactNumber,
  parseExactJson,
  parseJsonText,
  plainNumber,
  rewriteInexactNumbers,
} from './exact-json.ts'
export { type JsonLayout, jsonLayout } from './json-form.ts'
export { jsonPathsAt, jsonPathStep } from './json-paths-at.ts'
export { type JsonForm, type JsonVisitor, JsonWalker } from './json-walker.ts'
export { JsonTapeReader } from './json-tape.ts'
export { isJsonLinesType, recognizeJson } from './recognize-json.ts'
