import type { EntryId } from './reference.ts'
import type { Eviction } from './storage-error.ts'
import type { ByteRange, Location, Metadata } from './storage.ts'

/** What a driver keeps beside the bytes of an entry and returns unchanged. Times are milliseconds since the epoch. */
export interface EntryInfo {
  readonly key: string
  readonly contentType: string
  readonly size: number
  readonly storedAt: number
  readonly lastUsedAt: number
  readonly metadata: Metadata
  /** Where lines begin, as core wrote it for its own use; absent on small entries and binary content. */
  readonly lineIndex?: string
}

/** The description that comes with the bytes; the size of a stream is known only once it has been read. */
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

/** An entry that is open for reading. */
export interface OpenEntry {
  readonly info: EntryInfo
  /**
   * Return the bytes in a range, clipped to the end. They are borrowed: a driver may give its own, which nobody changes,
   * and must not change what it gave. Called concurrently.
   *
   * @param buffer - Memory of at least `range.length` bytes that may be used for the answer, and by nobody else until
   *   then. It saves taking new memory for each read, which costs as much as reading a file.
   */
  read(range: ByteRange, buffer?: Uint8Array): Promise<Uint8Array>
  /** Let go of it. Called once, when no read is under way. */
  close(): Promise<void>
}

/** What a listing may leave out. */
export interface DriverListOptions {
  /**
   * Only entries that were last used at this time or before are of interest, in milliseconds since the epoch. A driver that
   * finds them without going through all others leaves the others out; another may ignore this.
   */
  readonly unusedSince?: number | undefined
  /** With `false`, only entries right behind the prefix are of interest, whose ids go on without a `/`; a driver may ignore it. */
  readonly below?: boolean | undefined
  /**
   * Entries for which this returns `true` are of no interest. A driver that can name entries without reading them leaves
   * them out before it reads them; another may ignore this.
   */
  readonly except?: ((id: EntryId) => boolean) | undefined
}

/** What {@link StorageDriver.write} found and did. */
export interface WrittenEntry {
  /** Whether this call created the entry. */
  readonly created: boolean
  /** The last use of the entry as it is now, in milliseconds since the epoch; later than any that it had before. */
  readonly lastUsedAt: number
}

/** What {@link StorageDriver.collect} removed. */
export interface CollectReport {
  readonly leftovers: number
  readonly bytes: number
}

/**
 * What a backend implements: bytes and a small description under an id. `createStorage` does the rest.
 *
 * Every method may be called concurrently. A missing entry is `undefined` or `false`; any thrown error means an
 * outage, and core wraps it as `unavailable` unless it is a `StorageError` already.
 */
export interface StorageDriver {
  /** Set where content lives only as long as this object, so that there is never anything to find at the start. */
  readonly ephemeral?: boolean
  /** How old a last use must be, in milliseconds, before retrieving refreshes it. Defaults to 60,000; 0 if it is free. */
  readonly refreshMs?: number
  /**
   * From how many bytes on core asks {@link StorageDriver.touch} first whether an entry is there already, so that content
   * is not sent in vain. Set it where that question takes a trip to a server; below it, content is written at once.
   * Defaults to 0.
   */
  readonly touchFirstBytes?: number
  /**
   * Set where `write` itself finds out whether the entry is there, keeps the description that it has then, and returns a
   * {@link WrittenEntry}: without {@link StorageDriver.touch}, core then writes without looking first.
   */
  readonly tellsCreated?: boolean

  /**
   * Write an entry so that readers see the whole of it or nothing, also after a kill, and return whether this call
   * created it. Where the id exists already, keep what is there (its content is the same), touch it, and return `false`.
   * Read `chunks` to the end, once; if they throw, leave nothing and rethrow. The chunks may be kept: nobody changes
   * them later. A driver that cannot tell may return nothing: core then goes by what it saw before writing. One that also
   * knows the last use that it set returns both, and is not asked for it.
   *
   * @param lineIndex - Once `chunks` has been read to its end, returns what to keep as `info.lineIndex`, if anything:
   *   about 4 KB for each 100 MB. A driver without a place for it need not call this; lines are then found by reading
   *   everything once.
   */
  write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex?: () => string | undefined,
  ): Promise<boolean | WrittenEntry | void>
  /** Read an entry, or the part of it in `range` (clip it to the end), into bytes that become the caller's own. */
  read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined>
  /** Remove an entry and all that belongs to it; return whether there was one. */
  remove(id: EntryId): Promise<boolean>
  /** List entries whose id starts with `prefix`, which is empty or ends with `/`, in any order. */
  list(prefix: string, options?: DriverListOptions): AsyncIterable<DriverEntry>

  /** Describe an entry without reading its bytes. Without this, core reads a range of no bytes. */
  stat?(id: EntryId): Promise<EntryInfo | undefined>
  /**
   * Open an entry for many reads, where finding it is worth doing once. Should it be removed meanwhile, reads either go
   * on or reject with `not-found` or `corrupt`, but never give other bytes. Without this, core reads range by range.
   */
  open?(id: EntryId): Promise<OpenEntry | undefined>
  /**
   * Set the last use of an entry to `lastUsedAt`, or to one millisecond after the present one where that is later, so
   * that every use can be told from the one before. Return when it was set to, or `undefined` where there is no entry.
   * Without this, storing again rewrites the entry, and retrieving it renews neither its age nor its place in a quota.
   */
  touch?(id: EntryId, lastUsedAt: number): Promise<number | null | undefined>
  /**
   * Remove an entry if it has not been used since `unusedSince`, and return whether it went. Against a concurrent
   * `write` or `touch` this must be atomic: an entry that they report as existing stays. With an `eviction`, leave a
   * tombstone (bounded in number or age). Without this, core checks and removes, which is safe within one process.
   */
  evict?(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean>
  /** Return the tombstone of an evicted entry. Without this, core keeps tombstones in memory. */
  findEviction?(id: EntryId): Promise<Eviction | undefined>
  /**
   * Remove all entries whose id starts with `prefix`, as {@link StorageDriver.remove} does, and name each that this call
   * removed. Without this, core lists and removes them one by one.
   */
  removeAll?(prefix: string): AsyncIterable<EntryId>
  /** Remove what killed writers left behind under `prefix`, but nothing that a living writer may still need. */
  collect?(prefix: string, now: number): Promise<CollectReport>
  /** Say how a shell reaches an entry. */
  locate?(id: EntryId, info: Pick<EntryInfo, 'contentType'>): Location | undefined
  /** Release connections and handles. */
  close?(): Promise<void>
}

/** How a wrapper changes what reaches a driver. */
export type WrapperKind = 'compressed' | 'encrypted'

/**
 * A driver without optional methods and settings, so that nobody has to ask what it can do. Only `locate` may be missing, as
 * a storage tells its users then.
 */
export interface CompleteDriver
  extends Required<Omit<StorageDriver, 'write' | 'locate'>>, Pick<StorageDriver, 'locate'> {
  /** The wrappers above the backend, the outermost first. */
  readonly layers: readonly WrapperKind[]
  /** Whether `open` gives content that is in memory anyway, so that a cache would keep it twice. */
  readonly isInMemory: boolean
  /** As {@link StorageDriver.write}, but always says what it found. */
  write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex?: () => string | undefined,
  ): Promise<WrittenEntry>
}
