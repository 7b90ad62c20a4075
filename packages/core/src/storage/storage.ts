import type { LineIndex } from '@spillway/text/internal'
import { StorageError, type EvictionReason } from './storage-error.ts'

/** What a caller may say of an entry: short strings, such as the tool's name; never its arguments or content. */
export type Metadata = Readonly<Record<string, string>>

/** What {@link Storage.store} reports through {@link StoreOptions.onStored}. */
export interface StoreReceipt {
  readonly reference: string
  /** `true` when this call created the entry, `false` when an equal one was there already. */
  readonly created: boolean
  /** The last use that this call recorded, in milliseconds since the epoch. Fits {@link DeleteOptions.unusedSince}. */
  readonly usedAt: number
}

/** Options of {@link Storage.store}. */
export interface StoreOptions {
  readonly metadata?: Metadata | undefined
  readonly signal?: AbortSignal | undefined
  /** Give the buffer away: it is kept as it is instead of copied, and must not be changed any more. */
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
  /** Also list the scopes below this one. Defaults to `true`; only entries of exactly this scope can be retrieved here. */
  readonly below?: boolean | undefined
  /**
   * Leave out the entries with these references, in whichever scope. A caller that remembers what it has listed before gets
   * what is new without the cost of the rest, where the backend can name entries without reading them.
   */
  readonly except?: ReadonlySet<string> | undefined
}

/** Options of {@link Storage.delete}. */
export interface DeleteOptions extends OperationOptions {
  /** Remove the entry only if nobody has stored or retrieved it since this time, in milliseconds since the epoch. */
  readonly unusedSince?: number | undefined
}

/** Content as it comes back: the same bytes and the exact content type that were stored. */
export interface StoredContent {
  /** A copy that belongs to the caller. */
  readonly content: Uint8Array
  readonly contentType: string
}

/** A part of some content. */
export interface StoredRange extends StoredContent {
  /** Bytes of the whole entry. */
  readonly size: number
}

/** Content that is open for reading. */
export interface OpenContent {
  readonly contentType: string
  /** Bytes of the whole. */
  readonly size: number
  /** Absent for `complete`. */
  readonly state?: EntryState | undefined
  /** What is missing from the middle. Absent if nothing is. */
  readonly omitted?: OmittedPart | undefined
  /**
   * Return up to `length` bytes from `offset`, fewer where the content ends before. They are borrowed: a cache may hold
   * them, so they must not be changed. Rejects with `unavailable`, `corrupt` or `aborted`, and where the entry was removed
   * meanwhile it goes on or rejects with `not-found` or `evicted`.
   *
   * @param buffer - Memory of at least `length` bytes that may be used for the answer; what it has is lost in any case.
   */
  read(offset: number, length: number, buffer?: Uint8Array): Promise<Uint8Array>
  /**
   * Return where lines begin, as noted while storing, or else by reading everything once. What was noted is that of other
   * content if somebody changed the content since; `rebuild` makes it anew.
   */
  lineIndex?(options?: { readonly rebuild?: boolean | undefined }): Promise<LineIndex>
  /** Let go of what reading holds, such as an open file. Nothing can be read after it. Closing twice is fine. */
  close(): Promise<void>
}

/** A span of bytes: from `offset`, at most `length`. */
export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/** What a storage knows of an entry. Times are milliseconds since the epoch, sizes bytes. */
export interface StoredInfo {
  readonly reference: string
  readonly key: string
  readonly contentType: string
  readonly size: number
  readonly storedAt: number
  /** Last time it was stored or retrieved; refreshed at most once a minute by retrieving. */
  readonly lastUsedAt: number
  /** When it will be evicted by age unless it is used before. Absent without a `ttlMs`. */
  readonly expiresAt?: number
  readonly metadata: Metadata
  readonly state: EntryState
  /** What is missing from the middle. Absent if nothing is. */
  readonly omitted?: OmittedPart
}

/**
 * Whether all of the content is there.
 *
 * - `complete`: all of it, as given to `store` or as written until the writer closed the entry.
 * - `open`: its writer goes on.
 * - `lost`: its writer gave no sign of life for 30 seconds. What it had written is there.
 * - `aborted`: its writer closed it before the end, such as for a command that was stopped.
 * - `cut`: it was larger than the limit, and its middle is missing.
 */
export type EntryState = 'complete' | 'open' | 'lost' | 'aborted' | 'cut'

/** The middle of an entry that was larger than the limit. Line numbers of what follows count its lines too. */
export interface OmittedPart {
  readonly bytes: number
  /** Line ends that are missing. */
  readonly lines: number
  /** Line ends before it. */
  readonly afterLine: number
  /** Where it was, in bytes of the content that is there. */
  readonly offset: number
}

/** Options of {@link Storage.openEntry}. */
export interface OpenEntryOptions {
  readonly metadata?: Metadata | undefined
  /** Bytes to keep, at least 262,144: of more output, the beginning and the end are kept. Defaults to all. */
  readonly maxBytes?: number | undefined
}

/** Options of {@link EntryWriter.close}. */
export interface CloseEntryOptions {
  /** Defaults to `complete`. */
  readonly state?: 'complete' | 'aborted' | undefined
  /** Added to the metadata that the entry was opened with, such as an exit code. */
  readonly metadata?: Metadata | undefined
}

/** Writes an entry that can be read while it grows. */
export interface EntryWriter {
  readonly reference: string
  /**
   * Add bytes, which are copied. They can be read once they are committed: after 1 MiB or 2 seconds. Rejects with
   * `not-found` if somebody removed the entry. During an outage up to 8 MiB wait, then it rejects with `unavailable`, and
   * the chunk can be written again.
   */
  write(chunk: Uint8Array): Promise<void>
  /** Commit the rest and end the entry. Can be called again after it rejected. Closing twice is fine. */
  close(options?: CloseEntryOptions): Promise<StoredInfo>
}

/** One entry that an eviction removed. */
export interface EvictedEntry {
  readonly reference: string
  readonly size: number
  readonly reason: EvictionReason
}

/** What {@link Storage.endTurn} removed. */
export interface EvictionReport {
  readonly evicted: readonly EvictedEntry[]
}

/** What {@link Storage.gc} removed. */
export interface GcReport {
  /** Entries older than `ttlMs` without use. */
  readonly expired: number
  /** Files, rows or keys left behind by writers that were killed. */
  readonly leftovers: number
  /** Bytes freed by both. */
  readonly bytes: number
}

/** How somebody with a shell reaches an entry: nothing here carries credentials. */
export interface Location {
  /** A path or a URI. */
  readonly address: string
  /** A shell command, quoted, that prints the content. */
  readonly command: string
}

/**
 * Keep content under references.
 *
 * Two methods are required; everything else is a capability, found by presence. A storage with only `store` and
 * `retrieve` (the protocol of Strands' offloader) works unscoped. Failures reject with `StorageError`.
 */
export interface Storage {
  /**
   * Store bytes and return the reference under which they can be retrieved.
   *
   * Storing equal input (key, content, content type, scope) again returns the equal reference, counts as use, and
   * brings back an entry that was evicted. The bytes are copied before the promise settles.
   *
   * @param key - A hint for people, such as a tool-call id and a block number; any string.
   * @param contentType - A MIME type, kept exactly as given. Defaults to `text/plain`.
   */
  store(key: string, content: Uint8Array, contentType?: string, options?: StoreOptions): Promise<string>
  /** Return the whole content. Rejects with `not-found`, `evicted`, `invalid-reference` or `unavailable`. */
  retrieve(reference: string, options?: OperationOptions): Promise<StoredContent>
  /** Return a view walled off from this one: what is stored through it can be retrieved only through it. */
  scope?(...segments: string[]): Storage
  /** Describe an entry without reading its content and without counting as use. Rejects like `retrieve`. */
  stat?(reference: string, options?: OperationOptions): Promise<StoredInfo>
  /** Return part of the content: fewer bytes than asked for, or none, where the range passes the end. */
  retrieveRange?(reference: string, range: ByteRange, options?: OperationOptions): Promise<StoredRange>
  /**
   * Open content for many reads, and close it after them: finding it, and counting as use, is then done once. Rejects like
   * `retrieve`. What was read lately is remembered, within `setContentCacheBytes`, and given without asking the backend
   * again; an entry that another process removed may so be read for as long as the backend counts a use as recent.
   */
  open?(reference: string, options?: OperationOptions): Promise<OpenContent>
  /** Store content without holding all of it in memory. Its reference may be different each time. */
  storeStream?(
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    contentType?: string,
    options?: StoreOptions,
  ): Promise<string>
  /**
   * Open an entry that can be read while it is written, such as the output of a running command. Its reference is random.
   * What is committed stays if the writer is killed: then its state is `lost` after 30 seconds.
   */
  openEntry?(key: string, contentType?: string, options?: OpenEntryOptions): Promise<EntryWriter>
  /** List the entries of this scope and those below it, in any order. */
  list?(options?: ListOptions): AsyncIterable<StoredInfo>
  /** Remove an entry of exactly this scope. Removing nothing is fine. */
  delete?(reference: string, options?: DeleteOptions): Promise<void>
  /** Remove every entry of this scope and those below it, nothing beside them; return how many. */
  clear?(options?: OperationOptions): Promise<number>
  /** Say that one model call has passed in exactly this scope, and evict what has gone unused for too many. */
  endTurn?(): Promise<EvictionReport>
  /** Remove expired entries of this scope and those below it, and what killed writers left behind. */
  gc?(options?: OperationOptions): Promise<GcReport>
  /** Say how a shell reaches an entry of this scope, or `undefined` where that is not known. */
  locate?(reference: string): Location | undefined
  /** Release connections and handles. A scoped view leaves that to the storage it came from. */
  close?(): Promise<void>
}

/** Refuse with a `TypeError` what has not at least `store` and `retrieve`. */
export function assertStorage(value: unknown): asserts value is Storage {
  for (const method of ['store', 'retrieve'] as const)
    if (typeof (value as Partial<Storage> | null | undefined)?.[method] !== 'function')
      throw new TypeError(
        `storage must have the methods store() and retrieve(); ${method}() is missing. ` +
          'Pass a backend such as new InMemoryStorage(), or createStorage() with a driver.',
      )
}

/**
 * Return the scope of a storage, or refuse with `unsupported`: a storage that cannot wall scopes off would mix tenants.
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
      'This storage has no scope() and cannot keep tenants or sessions apart. Use it without a scope, or wrap it with createStorage().',
    )
  const scope: unknown = storage.scope(...segments)
  assertStorage(scope)
  return scope
}

/** Options that every backend built with `createStorage` can take. */
export interface ManagedStorageOptions {
  /** Evict an entry that was neither stored nor retrieved for more than this many turns of its scope. `null`: never. */
  readonly evictAfterTurns?: number | null | undefined
  /** Evict an entry this many milliseconds after its last use. `null`: never. */
  readonly ttlMs?: number | null | undefined
  /** Evict least recently used entries of a scope beyond this many bytes. `null`: no limit. */
  readonly maxBytes?: number | null | undefined
  /** The clock, in milliseconds since the epoch. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined
}

const NAMES: readonly string[] = [
  'evictAfterTurns',
  'ttlMs',
  'maxBytes',
  'now',
] satisfies (keyof ManagedStorageOptions)[]

/** Refuse unknown options and impossible values with a `TypeError` that names the option. */
export function assertManagedStorageOptions(options: ManagedStorageOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`Storage options must be an object, got ${String(options)}.`)
  for (const name of Object.keys(options))
    if (!NAMES.includes(name))
      throw new TypeError(`Unknown storage option ${JSON.stringify(name)}. Known: ${NAMES.join(', ')}.`)
  const { evictAfterTurns, ttlMs, maxBytes, now } = options
  if (evictAfterTurns != null && !(Number.isInteger(evictAfterTurns) && evictAfterTurns >= 1))
    throw new TypeError(`evictAfterTurns must be a whole number of turns, 1 or more, or null; got ${evictAfterTurns}.`)
  if (ttlMs != null && !(Number.isFinite(ttlMs) && ttlMs > 0))
    throw new TypeError(`ttlMs must be a positive number of milliseconds, or null; got ${ttlMs}.`)
  if (maxBytes != null && !(Number.isFinite(maxBytes) && maxBytes > 0))
    throw new TypeError(`maxBytes must be a positive number of bytes, or null; got ${maxBytes}.`)
  if (now !== undefined && typeof now !== 'function')
    throw new TypeError('now must be a function returning milliseconds.')
}
