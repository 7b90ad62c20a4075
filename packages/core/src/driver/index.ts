/** Helpers for storage backends. */
export { BoundedMap, concatBytes, RecencyMap } from '@spillway/text/internal'
export {
  assertArray,
  assertBoolean,
  assertKnownOptions,
  assertMilliseconds,
  assertWhole,
  shown,
} from '../storage/storage-input.ts'
export {
  assertFormat,
  decodeDescription,
  describeUnknown,
  encodeDescription,
  isMetadata,
  parseEviction,
  parseObject,
  type EntryDescription,
} from './entry-description.ts'
export { damagedRowsError, errorCode, removedError } from './entry-errors.ts'
export { idRange, rangeAfter, shellQuoted, type IdRange } from './entry-ids.ts'
export { piecesOfRange, regroupChunks, type PieceSpan } from './regroup-chunks.ts'
export { extensionForContentType } from '@spillway/text'
export { parseJournalEvents, type EventJournal, type JournalEvent } from '../journal/event-journal.ts'
export { createStorage, ManagedStorage } from '../storage/managed-storage.ts'
export type { ScopedStorage } from '../storage/scoped-storage.ts'
export { MANAGED_OPTIONS } from '../storage/storage.ts'
export type { ByteRange, Location, ManagedStorageOptions, Metadata } from '../storage/storage.ts'
export type {
  CollectReport,
  DriverContent,
  DriverEntry,
  DriverListOptions,
  EntryInfo,
  EvictionCandidate,
  EvictionOutcome,
  NewEntryInfo,
  OpenEntry,
  StorageDriver,
  WrittenEntry,
} from '../storage/storage-driver.ts'
export { decodeSegment, entryId, scopePathOf, splitId, type EntryId } from '../storage/entry-names.ts'
export {
  StorageError,
  type Eviction,
  type EvictionReason,
  type StorageErrorCode,
  type StorageErrorDetails,
} from '../storage/storage-error.ts'
