/** Exports for other packages of Spillway, not for users: these may change in any version. */
export { emitEvent, recordRetrieval, retrievalToolNameOf } from './offload/context-offloader.ts'
export { mediaTokensOfSize, shareBudget } from './offload/measure-content.ts'
export { gapCalls } from './offload/render-replacement.ts'
export { type ReplacedBlock, formatReplacement } from './offload/replacement.ts'
export { toolMetadata } from './offload/store-blocks.ts'
export { redactedJson } from './redaction/redact-content.ts'
export { formatRetrievalCall } from './retrieval/retrieval-tool.ts'
export { orAborted } from './storage/storage-error.ts'
