/** Functions that adapters of agent frameworks share. */
export {
  contentTypeEssence,
  decodeExactly,
  decodeText,
  isTextContentType,
  jsonParts,
  KeyedLock,
  parseJsonText,
  yieldWhenDue,
} from '@spillway/text/internal'
export { isExactNumber, parseExactJson, plainNumber, rewriteInexactNumbers } from '@spillway/text/internal/json'
export { isReplacement } from '../offload/replacement.ts'
export { orMiss } from '../content/or-miss.ts'
export { textOfDocument } from '../content/text-of-document.ts'
export { nameTaken, tellHiddenTool } from '../offload/context-offloader.ts'
export { anyInputSchema, type AnyInputSchema } from './any-input-schema.ts'
export {
  assertOffloader,
  assertRunOptions,
  maxResultTokensOf,
  offloaderOfRun,
  runsOf,
  withEvictAfterTurns,
  type RunForm,
  type RunOptions,
  type RunOptionsCheck,
  type Runs,
} from './run-options.ts'
export { assertNoReferences, callResolved, hasReferences, resolvedInput, takesReferences } from './call-resolved.ts'
export { copyWith } from './copy-with.ts'
export { OFFLOADED_KEY, withMetadata, type OffloadedMetadata } from './offloaded-metadata.ts'
export { countAsModel } from './count-as-model.ts'
export {
  readModelPart,
  writeModelOutput,
  type ModelMediaForm,
  type ModelOutput,
  type ModelOutputPart,
} from './model-output.ts'
export {
  encodeBase64,
  encodeBlock,
  mediaFromData,
  mediaFromUrl,
  nameOfPart,
  textBlock,
  type EncodedBlock,
  type TextOrigin,
} from '../content/media-source.ts'
export {
  KnownOutputs,
  replaceToolResults,
  SmallTexts,
  type KnownOutput,
  type ModelMessageLike,
  type ToolResultPart,
} from './replace-tool-results.ts'
export {
  mcpModelOutput,
  readMcpPart,
  readMcpResult,
  writeMcpPart,
  type McpPart,
  type McpResult,
} from './mcp-content.ts'
export {
  offloadAsRecord,
  offloadModelOutput,
  offloadParts,
  offloadThrown,
  type ModelOutputCall,
  type OffloadedModelOutput,
  type PartsOutcome,
  type PartsRequest,
  type RecordRequest,
  type ThrownRequest,
} from './offload-parts.ts'
