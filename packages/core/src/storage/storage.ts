import type { LineIndex } from '@spillway/text/internal/lines'
import { StorageError, type EvictionReason } from './storage-error.ts'
import { assertKnownOptions, assertSegments, shown } from './storage-input.ts'

/** Metadata that a caller gives an entry: short strings such as the tool's name, but no arguments or content. */
export type Metadata = Readonly<Record<string, string>>

/** Report of {@link Storage.store}, passed to {@link StoreOptions.onStored}. */
export interface StoreReceipt {
  readonly reference: string
  /** Whether this call created the entry. `false` if an equal entry existed. */
  readonly created: boolean
  /** Last use that this call recorded, in milliseconds since the epoch, for {@link DeleteOptions.unusedSince}. */
  readonly usedAt: number
}

/** Options of {@link Storage.store}. */
export interface StoreOptions {
  readonly metadata?: Metadata | undefined
  readonly signal?: AbortSignal | undefined
  /** Keep the buffer without copying it. The caller must not change the buffer afterwards. */
  readonly transfer?: boolean | undefined
  /** Called once, just before `store` resolves. */
  readonly onStored?: ((receipt: StoreReceipt) => void) | undefined
}

/** Options of operations that can be aborted. */
export interface OperationOptions {
  readonly signal?: AbortSignal | undefined
}

/** Options of {@link Storage.list}. */
export interface ListOptions extends OperationOptions {
  /** Whether to also list entries of nested scopes, which cannot be retrieved here. Defaults to `true`. */
  readonly below?: boolean | undefined
  /** References of entries to leave out, in any scope. Some backends then need not read these entries. */
  readonly except?: ReadonlySet<string> | undefined
}

/** Options of {@link Storage.delete}. */
export interface DeleteOptions extends OperationOptions {
  /** Remove the entry only if it was neither stored nor retrieved since this time, in milliseconds since the epoch. */
  readonly unusedSince?: number | undefined
}

/** Retrieved content, with the bytes and the content type that were stored. */
export interface StoredContent {
  /** A copy that belongs to the caller. */
  readonly content: Uint8Array
  readonly contentType: string
}

/** A range of stored content. */
export interface StoredRange extends StoredContent {
  /** Size of the whole entry, in bytes. */
  readonly size: number
}

/** Content opened for reading. */
export interface OpenContent {
  readonly contentType: string
  /** Size of the whole content, in bytes. */
  readonly size: number
  /** Absent if the entry is `complete`. */
  readonly state?: EntryState | undefined
  /** Part missing from the middle. Absent if nothing is missing. */
  readonly omitted?: OmittedPart | undefined
  /**
   * Return up to `length` bytes from `offset`, fewer at the end. The caller must not change them. If the entry was
   * removed, reading succeeds or rejects with `not-found` or `evicted`.
   *
   * @param buffer - Memory of at least `length` bytes. The result may be written into this memory.
   */
  read(offset: number, length: number, buffer?: Uint8Array): Promise<Uint8Array>
  /** Return the line index, made while storing or by reading the whole content. `rebuild` makes a new index. */
  lineIndex?(options?: { readonly rebuild?: boolean | undefined }): Promise<LineIndex>
  /** Release resources, for example an open file. Closing twice is allowed. */
  close(): Promise<void>
}

/** A range of at most `length` bytes from `offset`. */
export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/** Description of a stored entry. Times are milliseconds since the epoch, and sizes are bytes. */
export interface StoredInfo {
  readonly reference: string
  /** Path of the nested scope of a listed entry, for `scopeAt`. Absent for an entry of the listed scope itself. */
  readonly scope?: string
  readonly key: string
  readonly contentType: string
  readonly size: number
  readonly storedAt: number
  /** Last time the entry was stored or retrieved. Retrieving refreshes this time at most once a minute. */
  readonly lastUsedAt: number
  /** Time at which the entry is evicted by age, unless it is used earlier. Absent without a `ttlMs`. */
  readonly expiresAt?: number
  readonly metadata: Metadata
  readonly state: EntryState
  /** Part missing from the middle. Absent if nothing is missing. */
  readonly omitted?: OmittedPart
}

/**
 * Completeness of an entry.
 *
 * - `complete`: all content is stored.
 * - `open`: the writer is still writing.
 * - `lost`: the writer sent no heartbeat for 30 seconds. Committed content is kept.
 * - `aborted`: the writer ended before the end of the content, for example for a stopped command.
 * - `cut`: the content was larger than the limit, and its middle is missing.
 */
export type EntryState = 'complete' | 'open' | 'lost' | 'aborted' | 'cut'

/** The omitted middle of an entry over the limit. Later line numbers include the omitted lines. */
export interface OmittedPart {
  readonly bytes: number
  /** Number of omitted line ends. */
  readonly lines: number
  /** Number of line ends before the omitted part. */
  readonly afterLine: number
  /** Offset of the omitted part in the kept content, in bytes. */
  readonly offset: number
}

/** Options of {@link Storage.openEntry}. */
export interface OpenEntryOptions {
  readonly metadata?: Metadata | undefined
  /** Largest number of bytes to keep, at least 262,144. Larger output loses its middle. Defaults to no limit. */
  readonly maxBytes?: number | undefined
}

/** Options of {@link EntryWriter.close}. */
export interface CloseEntryOptions {
  /** Defaults to `complete`. */
  readonly state?: 'complete' | 'aborted' | undefined
  /** Metadata to add, for example an exit code. */
  readonly metadata?: Metadata | undefined
}

/** Writes an entry that can be read while it grows. */
export interface EntryWriter {
  readonly reference: string
  /**
   * Append a copy of the bytes. Readers see these bytes after 1 MiB or 2 seconds.
   *
   * Rejects with `not-found` if the entry was removed. Rejects with `unavailable` if over 8 MiB wait during an outage.
   * In both cases, the chunk can be written again.
   */
  write(chunk: Uint8Array): Promise<void>
  /** Commit the rest and end the entry. After a failure, `close` can be called again. Closing twice is allowed. */
  close(options?: CloseEntryOptions): Promise<StoredInfo>
}

/** Description of an evicted entry. */
export interface EvictedEntry {
  readonly reference: string
  readonly size: number
  readonly reason: EvictionReason
}

/** Result of {@link Storage.endTurn}. */
export interface EvictionReport {
  readonly evicted: readonly EvictedEntry[]
}

/** Result of {@link Storage.gc}. */
export interface GcReport {
  /** Entries removed after `ttlMs` without use. */
  readonly expired: number
  /** Removed files, rows or keys of killed writers. */
  readonly leftovers: number
  /** Bytes freed. */
  readonly bytes: number
}

/** Access to an entry from a shell, without credentials. */
export interface Location {
  /** Path or URI of the content. */
  readonly address: string
  /** Quoted shell command that prints the content. */
  readonly command: string
}

/**
 * Storage of content under references.
 *
 * Only `store` and `retrieve` are required. Each other method is an optional capability. Failures reject with
 * `StorageError`.
 */
export interface Storage {
  /**
   * Store a copy of the bytes and return their reference.
   *
   * Equal input in the same scope returns the same reference, counts as use, and restores an evicted entry.
   *
   * @param key - Any text that helps people to recognize the entry, for example a tool call's id and a block number.
   * @param contentType - MIME type, kept unchanged. Defaults to `text/plain`.
   */
  store(key: string, content: Uint8Array, contentType?: string, options?: StoreOptions): Promise<string>
  /** Return the whole content. Rejects with `not-found`, `evicted`, `invalid-reference` or `unavailable`. */
  retrieve(reference: string, options?: OperationOptions): Promise<StoredContent>
  /** Return an isolated scope. Its content can be retrieved only through the same scope. */
  scope?(...segments: string[]): Storage
  /** Describe an entry without reading it or counting a use. Rejects like `retrieve`. */
  stat?(reference: string, options?: OperationOptions): Promise<StoredInfo>
  /** Return a range of the content, clipped to its end. */
  retrieveRange?(reference: string, range: ByteRange, options?: OperationOptions): Promise<StoredRange>
  /**
   * Open content for many reads, which together count as one use. Close the content when it is no longer needed.
   * Rejects like `retrieve`.
   *
   * Content that was read recently is cached, up to the limit of `setContentCacheBytes`. After another process removed
   * an entry, it may still be readable for a while.
   */
  open?(reference: string, options?: OperationOptions): Promise<OpenContent>
  /** Store a stream without keeping it in memory. Storing equal content again may give another reference. */
  storeStream?(
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    contentType?: string,
    options?: StoreOptions,
  ): Promise<string>
  /**
   * Open an entry that can be read while it is written. The reference is random. If the writer is killed, committed
   * content is kept. After 30 seconds, the state of the entry is `lost`.
   */
  openEntry?(key: string, contentType?: string, options?: OpenEntryOptions): Promise<EntryWriter>
  /** List the entries of this scope and nested scopes, in any order. */
  list?(options?: ListOptions): AsyncIterable<StoredInfo>
  /** Remove an entry of exactly this scope. Resolves even if the entry does not exist. */
  delete?(reference: string, options?: DeleteOptions): Promise<void>
  /** Remove every entry of this scope and nested scopes. Returns the number of removed entries. */
  clear?(options?: OperationOptions): Promise<number>
  /** End a turn of exactly this scope. A turn is one model call. Evicts entries unused for too many turns. */
  endTurn?(): Promise<EvictionReport>
  /** Remove expired entries of this scope and nested scopes, and leftovers of killed writers. */
  gc?(options?: OperationOptions): Promise<GcReport>
  /** Return the command with which a shell reads an entry, or `undefined` if there is no such command. */
  locate?(reference: string): Location | undefined
  /** Close connections and handles. On a scope, `close` does nothing, because the whole storage owns them. */
  close?(): Promise<void>
}

export function assertStorage(value: unknown): asserts value is Storage {
  for (const method of ['store', 'retrieve'] as const)
    if (typeof (value as Partial<Storage> | null | undefined)?.[method] !== 'function')
      throw new TypeError(
        `storage must have the methods store() and retrieve(); ${method}() is missing. ` +
          'Pass a backend such as new InMemoryStorage(), or createStorage() with a driver.',
      )
}

/**
 * Return a scope of a storage. Throws `unsupported` if the storage has no scopes.
 *
 * @example
 * ```ts
 * import { scopeOf, StorageError, type Storage } from '@spillway/core'
 *
 * const twoMethods: Storage = {
 *   store: async (key) => key,
 *   retrieve: async () => ({ content: new Uint8Array(), contentType: 'text/plain' }),
 * }
 * try {
 *   scopeOf(twoMethods, ['tenant-1'])
 *   throw new Error('was not refused')
 * } catch (error) {
 *   console.assert(StorageError.isInstance(error) && error.code === 'unsupported')
 * }
 * ```
 */
export function scopeOf(storage: Storage, segments: readonly string[]): Storage {
  if (typeof storage.scope !== 'function')
    throw new StorageError(
      'unsupported',
      'This storage has no scope() and cannot isolate tenants or sessions. Use it without a scope, or wrap it with createStorage().',
    )
  assertSegments(segments)
  const scope: unknown = storage.scope(...segments)
  assertStorage(scope)
  return scope
}

/** Options of every storage made with `createStorage`. */
export interface ManagedStorageOptions {
  /** Evict entries unused for more than this many turns of their scope. `null`: never. */
  readonly evictAfterTurns?: number | null | undefined
  /** Evict entries this many milliseconds after their last use. `null`: never. */
  readonly ttlMs?: number | null | undefined
  /** Maximum bytes in each scope. Above this limit, the least recently used entries are evicted. `null`: no limit. */
  readonly maxBytes?: number | null | undefined
  /** Clock, in milliseconds since the epoch. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** Names of the options of every storage, for {@link assertKnownOptions}. */
export const MANAGED_OPTIONS: readonly (keyof ManagedStorageOptions)[] = ['evictAfterTurns', 'ttlMs', 'maxBytes', 'now']

export function assertManagedStorageOptions(options: ManagedStorageOptions): void {
  assertKnownOptions(options, MANAGED_OPTIONS, 'A storage')
  const { evictAfterTurns, ttlMs, maxBytes, now } = options
  if (evictAfterTurns != null && !(Number.isInteger(evictAfterTurns) && evictAfterTurns >= 1))
    throw new TypeError(`evictAfterTurns must be a whole number, 1 or more, or null; got ${shown(evictAfterTurns)}.`)
  if (ttlMs != null && !(Number.isFinite(ttlMs) && ttlMs > 0))
    throw new TypeError(`ttlMs must be a positive number of milliseconds, or null; got ${shown(ttlMs)}.`)
  if (maxBytes != null && !(Number.isFinite(maxBytes) && maxBytes > 0))
    throw new TypeError(`maxBytes must be a positive number of bytes, or null; got ${shown(maxBytes)}.`)
  if (now !== undefined && typeof now !== 'function')
    throw new TypeError('now must be a function returning milliseconds.')
}
