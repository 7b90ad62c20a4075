export {
  contentTypeForExtension,
  estimateTokens,
  extensionForContentType,
  sniffContentType,
  visibleText,
  type ContentBlock,
  type CountTokens,
  type JsonBlock,
  type LineIndex,
  type LinkBlock,
  type MediaBlock,
  type TextBlock,
  type UnknownBlock,
} from '@spillway/text'
export { ContextOffloader, type ChildOptions } from './offload/context-offloader.ts'
export type {
  ContextOffloaderOptions,
  OffloadCandidate,
  OffloadEvent,
  OffloadMode,
  ResolvedOptions,
  RetrievalGuide,
} from './offload/context-offloader-options.ts'
export type {
  InlineReason,
  OffloadedBlock,
  OffloadRequest,
  OffloadStreamRequest,
  Outcome,
} from './offload/offload-request.ts'
export type { LimitOptions, ResolvedLimits, ResultLimits, TokenLimit, ToolSettings } from './offload/result-limits.ts'
export type { EventJournal, JournalEvent, NewJournalEvent } from './journal/event-journal.ts'
export { summarizeJournal, type JournalSummary, type SummarizeJournalOptions } from './journal/summarize-journal.ts'
export type { Meter, TokenTotals } from './journal/token-meter.ts'
export { checkStorage, type CheckOptions, type CheckReport, type EntryProblem } from './maintenance/check-storage.ts'
export { copyStorage, type CopyOptions, type CopyReport } from './maintenance/copy-storage.ts'
export type { EntryOptions } from './maintenance/stored-entries.ts'
export {
  applyRetention,
  type RetentionCount,
  type RetentionOptions,
  type RetentionReport,
  type RetentionRule,
} from './maintenance/apply-retention.ts'
export { preload } from './preload.ts'
export {
  createRetrievalTool,
  RETRIEVAL_TOOL_NAME,
  type MatchingLine,
  type RetrievedTable,
  type RetrievalCall,
  type RetrievalErrorCode,
  type RetrievalEvent,
  type RetrievalInputSchema,
  type RetrievalMode,
  type RetrievalResult,
  type RetrievalTool,
  type RetrievalToolOptions,
} from './retrieval/retrieval-tool.ts'
export type { Redact, RedactOptions, RedactRule } from './redaction/redact-text.ts'
export type {
  ArgumentForm,
  ReferenceArguments,
  ReferenceCall,
  ResolvedCall,
  ResolvedReference,
} from './session/reference-arguments.ts'
export type { Granted } from './session/shared-content.ts'
export type { EntryId } from './storage/entry-names.ts'
export { isContentType } from './storage/storage-input.ts'
export {
  scopeOf,
  type ByteRange,
  type CloseEntryOptions,
  type DeleteOptions,
  type EntryState,
  type EntryWriter,
  type EvictedEntry,
  type EvictionReport,
  type GcReport,
  type ListOptions,
  type Location,
  type ManagedStorageOptions,
  type Metadata,
  type OmittedPart,
  type OpenContent,
  type OpenEntryOptions,
  type OperationOptions,
  type Storage,
  type StoredContent,
  type StoredInfo,
  type StoredRange,
  type StoreOptions,
  type StoreReceipt,
} from './storage/storage.ts'
export { setContentCacheBytes } from './storage/content-cache.ts'
export { createStorage, ManagedStorage } from './storage/managed-storage.ts'
export type { ScopedStorage } from './storage/scoped-storage.ts'
export type {
  CollectReport,
  DriverContent,
  DriverEntry,
  DriverListOptions,
  EntryInfo,
  NewEntryInfo,
  OpenEntry,
  StorageDriver,
  WrittenEntry,
} from './storage/storage-driver.ts'
export {
  StorageError,
  type Eviction,
  type EvictionReason,
  type StorageErrorCode,
  type StorageErrorDetails,
} from './storage/storage-error.ts'
