/** What adapters of agent frameworks have in common: how parts become blocks and come back. */
export { decodeText, contentTypeEssence, isTextContentType } from '@spillway/text/internal'
export {
  endOfString,
  isExactNumber,
  parseExactJson,
  plainNumber,
  rewriteInexactNumbers,
} from '@spillway/text/internal/json'
export { orMiss } from '../storage/storage-error.ts'
export { textOfDocument } from '../content/text-of-document.ts'
export { KeyedLock } from '../storage/keyed-lock.ts'
export { anyInputSchema, type AnyInputSchema } from './any-input-schema.ts'
export { assertOffloader } from './assert-offloader.ts'
export { copyWith } from './copy-with.ts'
export { countAsModel } from './count-as-model.ts'
export { defaultModelOutput, type ShownOutput } from './default-model-output.ts'
export { encodeBlock, type EncodedBlock } from './encode-block.ts'
export { isReplacedOutput } from './is-replaced-output.ts'
export { KnownOutputs, type KnownOutput } from './known-outputs.ts'
export { readMcpPart, writeMcpPart, type McpPart } from './mcp-content.ts'
export { mcpModelOutput } from './mcp-model-output.ts'
export { readMcpResult, type McpResult } from './mcp-result.ts'
export { encodeBase64, mediaFromData, mediaFromUrl } from './media-source.ts'
export { offloadAsRecord, type RecordRequest } from './offload-as-record.ts'
export { offloadModelOutput, type ModelOutputCall, type OffloadedModelOutput } from './offload-model-output.ts'
export { offloadParts, type PartsOutcome, type PartsRequest } from './offload-parts.ts'
export { offloadThrown, type ThrownRequest } from './offload-thrown.ts'
export { offloaderOfRun } from './offloader-of-run.ts'
export { readModelOutput } from './read-model-output.ts'
export { replaceToolResults, type ModelMessageLike, type ToolResultPart } from './replace-tool-results.ts'
export { assertRunOptions, type RunOptions, type RunOptionsCheck } from './run-options.ts'
export { RunsByInput } from './runs-by-input.ts'
export { SmallTexts } from './small-texts.ts'
export { tellHiddenTool } from './tell-hidden-tool.ts'
export { nameOfPart, textBlock, type TextOrigin } from './text-block.ts'
export { writeModelOutput, type ModelOutput } from './write-model-output.ts'
export type { ModelMediaForm, ModelOutputPart } from './write-model-part.ts'
export { withEvictAfterTurns } from './with-evict-after-turns.ts'
