import type { EntryId } from './entry-names.ts'
import type { Eviction } from './storage-error.ts'
import type { ByteRange, Location, Metadata } from './storage.ts'

/** Description of an entry, which a driver stores unchanged. Times are milliseconds since the epoch. */
export interface EntryInfo {
  readonly key: string
  readonly contentType: string
  readonly size: number
  readonly storedAt: number
  readonly lastUsedAt: number
  readonly metadata: Metadata
  /** Line index in core's own format. Absent for small entries and binary content. */
  readonly lineIndex?: string
}

/** Description of a new entry. The size of a stream is unknown until its end. */
export type NewEntryInfo = Omit<EntryInfo, 'size'>

/** An entry and its description. */
export interface DriverEntry {
  readonly id: EntryId
  readonly info: EntryInfo
}

/** Part or all of an entry. */
export interface DriverContent {
  readonly content: Uint8Array
  readonly info: EntryInfo
}

/** An entry opened for reading. */
export interface OpenEntry {
  readonly info: EntryInfo
  /**
   * Return the bytes in a range, clipped to the end. The caller must not change them. Calls may run concurrently.
   *
   * @param buffer - Memory of at least `range.length` bytes. The result may be written into this memory, which saves an
   *   allocation.
   */
  read(range: ByteRange, buffer?: Uint8Array): Promise<Uint8Array>
  /** Release the entry. Called once, after all reads have ended. */
  close(): Promise<void>
}

/** Filters of a listing. A driver may ignore the filters. */
export interface DriverListOptions {
  /** Only entries last used at or before this time, in milliseconds since the epoch. */
  readonly unusedSince?: number | undefined
  /** With `false`, only entries whose ids have no `/` after the prefix. */
  readonly below?: boolean | undefined
  /** Leave out entries for which the function returns `true`, if possible without reading them. */
  readonly except?: ((id: EntryId) => boolean) | undefined
}

/** Result of {@link StorageDriver.write}. */
export interface WrittenEntry {
  /** Whether this call created the entry. */
  readonly created: boolean
  /** Last use after this call, in milliseconds since the epoch. The time is later than all earlier uses. */
  readonly lastUsedAt: number
}

/** An entry to evict with others. */
export interface EvictionCandidate {
  readonly id: EntryId
  /** If the entry was used after this time, it is not evicted. In milliseconds since the epoch. May be infinite. */
  readonly unusedSince: number
}

/** Number of bytes of an evicted entry, `used` if the entry stays because it was used, `gone` if it did not exist. */
export type EvictionOutcome = number | 'used' | 'gone'

/** Result of {@link StorageDriver.collect}. */
export interface CollectReport {
  readonly leftovers: number
  readonly bytes: number
}

/**
 * The interface of a backend, which stores bytes and a small description under an id. Pass it to `createStorage`.
 *
 * Methods may be called concurrently. For a missing entry, methods return `undefined` or `false`. Errors that they
 * throw become `unavailable`, unless they are a `StorageError`.
 */
export interface StorageDriver {
  /** Set if content is lost when this object is gone. Core then knows that there are no entries at the start. */
  readonly ephemeral?: boolean
  /** Milliseconds until a retrieval updates the last use again. Defaults to 60,000. 0 if updates cost nothing. */
  readonly refreshMs?: number
  /** Size in bytes from which core calls {@link StorageDriver.touch} before it sends content. Defaults to 0. */
  readonly touchFirstBytes?: number
  /** Whether `write` finds existing entries, keeps their description, and returns a {@link WrittenEntry}. */
  readonly tellsCreated?: boolean
  /** Set if `collect` is cheap. Core then calls `collect` once an hour while entries are being stored. */
  readonly collectsHourly?: boolean

  /**
   * Write an entry so that readers see it complete or not at all, even after a crash. Return whether this call created
   * the entry.
   *
   * If the id exists, keep its content, touch it, and return `false`. Read `chunks` once, to the end; if they throw,
   * leave nothing and rethrow. The caller does not change the chunks later. Return a {@link WrittenEntry} if the last
   * use is known. Return nothing if the driver does not know whether the entry existed.
   *
   * @param lineIndex - Called after the end of `chunks`. Returns `info.lineIndex`, about 4 KB for each 100 MB. Calling
   *   it is optional. Without an index, finding lines reads the whole content once.
   */
  write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex?: () => string | undefined,
  ): Promise<boolean | WrittenEntry | void>
  /** Read an entry, or a range clipped to its end. The bytes belong to the caller. */
  read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined>
  /** Remove an entry with all of its data. Return whether the entry existed. */
  remove(id: EntryId): Promise<boolean>
  /** List entries whose ids start with `prefix`, in any order. The prefix is empty or ends with `/`. */
  list(prefix: string, options?: DriverListOptions): AsyncIterable<DriverEntry>

  /** Describe an entry without reading its bytes. Without this method, core reads an empty range. */
  stat?(id: EntryId): Promise<EntryInfo | undefined>
  /**
   * Open an entry for many reads. If the entry is removed while it is open, reads succeed, or reject with `not-found`
   * or `corrupt`. Without this method, core reads each range on its own.
   */
  open?(id: EntryId): Promise<OpenEntry | undefined>
  /**
   * Set the last use to `lastUsedAt`, or to 1 ms after the current value if that is later. Return the time, or
   * `undefined` if the entry is missing. Without this method, storing again rewrites the entry, and retrieving does not
   * change the last use.
   */
  touch?(id: EntryId, lastUsedAt: number): Promise<number | null | undefined>
  /**
   * Remove an entry unless it was used since `unusedSince`, and return whether it was removed. No `write` or `touch`
   * may happen between the check and the removal. With an `eviction`, leave a tombstone. Without this method, core
   * checks and removes in two steps, which is safe only within one process.
   */
  evict?(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean>
  /**
   * Evict up to 500 different entries. Return an outcome for each, in the same order. Each tombstone has the metadata
   * of its entry. Each eviction must be atomic as in {@link StorageDriver.evict}. This method requires `findEviction`.
   * Without this method, core evicts one entry after another.
   */
  evictAll?(
    candidates: readonly EvictionCandidate[],
    eviction: Omit<Eviction, 'metadata'>,
  ): Promise<readonly EvictionOutcome[]>
  /** Return the tombstone of an evicted entry. Without this method, core keeps tombstones in memory. */
  findEviction?(id: EntryId): Promise<Eviction | undefined>
  /** Remove all entries whose ids start with `prefix`, and yield their ids. By default, core removes each entry. */
  removeAll?(prefix: string): AsyncIterable<EntryId>
  /** Remove leftovers of killed writers under `prefix`. Never remove anything that a living writer may need. */
  collect?(prefix: string, now: number): Promise<CollectReport>
  /** Return the command with which a shell reads an entry. */
  locate?(id: EntryId, info: Pick<EntryInfo, 'contentType'>): Location | undefined
  /** Release connections and handles. */
  close?(): Promise<void>
}

export type WrapperKind = 'compressed' | 'encrypted'

/** A driver with all optional members except `locate` and `evictAll`. */
export interface CompleteDriver
  extends Required<Omit<StorageDriver, 'write' | 'locate' | 'evictAll'>>, Pick<StorageDriver, 'locate' | 'evictAll'> {
  /** Kinds of wrappers around the backend, the outermost first. */
  readonly layers: readonly WrapperKind[]
  /** Whether `open` returns content in memory, which needs no cache. */
  readonly isInMemory: boolean
  write(...entry: Parameters<StorageDriver['write']>): Promise<WrittenEntry>
}
