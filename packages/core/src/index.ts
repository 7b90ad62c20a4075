export { compressed, type CompressedOptions } from './compression/compressed.ts'
export type {
  ContentBlock,
  JsonBlock,
  LinkBlock,
  MediaBlock,
  TextBlock,
  UnknownBlock,
} from './content/content-block.ts'
export { contentTypeForExtension, extensionForContentType } from './content/content-types.ts'
export { ContextOffloader } from './offload/context-offloader.ts'
export type { ContextOffloaderOptions, OffloadCandidate, ResolvedOptions } from './offload/context-offloader-options.ts'
export type { OffloadEvent } from './offload/offload-event.ts'
export type {
  InlineReason,
  OffloadedBlock,
  OffloadRequest,
  OffloadStreamRequest,
  Outcome,
} from './offload/offload-request.ts'
export type { RetrievalGuide } from './offload/retrieval-guide.ts'
export type { Meter } from './offload/token-meter.ts'
export { encrypted, type EncryptedOptions, type RotatingKeys } from './encryption/encrypted.ts'
export type { EncryptionKey, NamedEncryptionKey } from './encryption/encryption-key.ts'
export type { FindKey } from './encryption/key-ring.ts'
export { corePreviewers } from './preview/core-previewers.ts'
export { definePreviewer, type PreviewerDefinition } from './preview/define-previewer.ts'
export { mediaPreviewer } from './preview/media/media-previewer.ts'
export { sniffContentType } from './preview/media/sniff-content-type.ts'
export type {
  MediaPreview,
  MediaPreviewer,
  MediaSubject,
  PreviewCall,
  Previewer,
  PreviewOptions,
  TextPreviewer,
  TextReader,
  TextSubject,
  WritePreview,
} from './preview/previewer.ts'
export {
  configPreviewer,
  type ConfigPreviewerOptions,
  type ConfigPreviewShares,
} from './preview/config/config-previewer.ts'
export { diffPreviewer, type DiffPreviewerOptions, type DiffPreviewShares } from './preview/diff/diff-previewer.ts'
export { jsonPreviewer, ndjsonPreviewer, type JsonPreviewerOptions } from './preview/json/json-previewer.ts'
export type { JsonPreviewShares } from './preview/json/render-json-preview.ts'
export {
  markdownPreviewer,
  type MarkdownPreviewerOptions,
  type MarkdownPreviewShares,
} from './preview/markdown/markdown-previewer.ts'
export { MissingPeerError, type PreviewFallback } from './preview/preview-fallback.ts'
export { htmlTextPreviewer, type HtmlTextPreviewerOptions } from './preview/markup/html-text-previewer.ts'
export type { HtmlPreviewShares } from './preview/markup/html-shares.ts'
export { xmlPreviewer, type XmlPreviewerOptions } from './preview/markup/xml-previewer.ts'
export type { XmlPreviewShares } from './preview/markup/write-xml.ts'
export { prosePreviewer, type ProsePreviewerOptions, type ProsePreviewShares } from './preview/prose/prose-previewer.ts'
export { previewText, type PreviewTextOptions } from './preview/preview-text.ts'
export { logPreviewer, type LogPreviewerOptions } from './preview/log/log-previewer.ts'
export type { LogPreviewShares } from './preview/log/log-shares.ts'
export type { ListingPreviewShares } from './preview/listing/listing-layout.ts'
export type { TablePreviewShares } from './preview/table/table-layout.ts'
export { listingPreviewer, type ListingPreviewerOptions } from './preview/listing/listing-previewer.ts'
export { tablePreviewer, type TablePreviewerOptions } from './preview/table/table-previewer.ts'
export type { Outliner, OutlineSymbol } from './preview/source/outline.ts'
export type { SourcePreviewShares } from './preview/source/source-layout.ts'
export { sourcePreviewer, type SourcePreviewerOptions } from './preview/source/source-previewer.ts'
export type { ToolIntent } from './preview/tool-intent.ts'
export { visibleText } from './content/visible-text.ts'
export type { RetrievalCall } from './retrieval/retrieval-call.ts'
export type { RetrievalErrorCode } from './retrieval/retrieval-error.ts'
export type { RetrievalEvent, RetrievalMode } from './retrieval/retrieval-event.ts'
export type { RetrievalInputSchema } from './retrieval/retrieval-schema.ts'
export {
  createRetrievalTool,
  RETRIEVAL_TOOL_NAME,
  type RetrievalResult,
  type RetrievalTool,
  type RetrievalToolOptions,
} from './retrieval/retrieval-tool.ts'
export type { CountTokens } from './tokens/count-tokens.ts'
export { estimateTokens } from './tokens/estimate-tokens.ts'
export { isContentType } from './storage/assert-input.ts'
export { scopeOf } from './storage/assert-storage.ts'
export { setContentCacheBytes } from './storage/content-cache.ts'
export { createStorage } from './storage/create-storage.ts'
export { ManagedStorage, type ScopedStorage } from './storage/managed-storage.ts'
export type { ManagedStorageOptions } from './storage/managed-storage-options.ts'
export type {
  CollectReport,
  DriverContent,
  DriverEntry,
  DriverListOptions,
  EntryId,
  EntryInfo,
  NewEntryInfo,
  OpenEntry,
  StorageDriver,
  WrittenEntry,
} from './storage/storage-driver.ts'
export type { LineIndex } from './storage/line-index.ts'
export {
  StorageError,
  type Eviction,
  type EvictionReason,
  type StorageErrorCode,
  type StorageErrorDetails,
} from './storage/storage-error.ts'
export type {
  ByteRange,
  DeleteOptions,
  EvictedEntry,
  EvictionReport,
  GcReport,
  ListOptions,
  Location,
  Metadata,
  OpenContent,
  OperationOptions,
  Storage,
  StoredContent,
  StoredInfo,
  StoredRange,
  StoreOptions,
  StoreReceipt,
} from './storage/storage.ts'
