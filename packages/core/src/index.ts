export type {
  ContentBlock,
  JsonBlock,
  LinkBlock,
  MediaBlock,
  TextBlock,
  UnknownBlock,
} from './content/content-block.ts'
export { contentTypeForExtension, extensionForContentType } from './content/content-types.ts'
export type { CountTokens } from './tokens/count-tokens.ts'
export { scopeOf } from './storage/assert-storage.ts'
export { createStorage } from './storage/create-storage.ts'
export { ManagedStorage, ScopedStorage } from './storage/managed-storage.ts'
export type { ManagedStorageOptions } from './storage/managed-storage-options.ts'
export type {
  CollectReport,
  DriverContent,
  DriverEntry,
  EntryId,
  EntryInfo,
  NewEntryInfo,
  StorageDriver,
} from './storage/storage-driver.ts'
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
  OperationOptions,
  Storage,
  StoredContent,
  StoredInfo,
  StoredRange,
  StoreOptions,
  StoreReceipt,
} from './storage/storage.ts'
