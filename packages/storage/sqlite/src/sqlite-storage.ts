import {
  assertBoolean,
  assertKnownOptions,
  assertWhole,
  damagedRowsError,
  idRange,
  MANAGED_OPTIONS,
  ManagedStorage,
  piecesOfRange,
  removedError,
  shown,
  splitId,
  type ByteRange,
  type CollectReport,
  type DriverContent,
  type DriverEntry,
  type EntryId,
  type IdRange,
  type ManagedStorageOptions,
  type OpenEntry,
  type StorageDriver,
} from '@spillway/core/driver'
import { Connection, sourceOf } from './connection.ts'
import {
  BATCH_BYTES,
  batchesOf,
  claimLoose,
  copyChunks,
  findLineIndex,
  purgeContent,
  readOnlyChunk,
  releaseContent,
  type ContentOfEntry,
  type ContentPlace,
  type LooseContent,
} from './contents.ts'
import {
  deleteEntry,
  deleteOldTombstones,
  deleteTombstone,
  deleteTombstones,
  entriesFrom,
  findEntry,
  findTombstone,
  insertTombstone,
  leastUsedEntries,
  listed,
  touchEntry,
  unusedEntriesFrom,
  type FoundEntry,
} from './entries.ts'
import { writeEntry } from './entry-writer.ts'
import type { Session } from './session.ts'
import { isSqliteDatabase, type SqliteDatabase } from './sqlite-error.ts'

const DEFAULT_BUSY_TIMEOUT_MS = 5_000
const DEFAULT_CHUNK_BYTES = 131_072
const MIN_CHUNK_BYTES = 4_096
const MAX_CHUNK_BYTES = 1_048_576
const MAX_TIMEOUT_MS = 2_147_483_647
const OWN_NAMES: readonly string[] = [
  ...(['path', 'database', 'busyTimeoutMs', 'fsync', 'chunkBytes'] as const),
  ...MANAGED_OPTIONS,
] satisfies (keyof SqliteStorageOptions)[]

/** Options of {@link SqliteStorage}: either `path` or `database`. */
export interface SqliteStorageOptions extends ManagedStorageOptions {
  /** Database file, created with its directories at the first store. A relative path is resolved at construction. */
  readonly path?: string | undefined
  /**
   * An open better-sqlite3 `Database`, preferably in WAL mode. The storage does not close or configure it. The storage
   * creates tables with names that begin with `spillway_`.
   */
  readonly database?: SqliteDatabase | undefined
  /** Milliseconds to wait for other writers, without blocking the event loop. Defaults to 5,000. */
  readonly busyTimeoutMs?: number | undefined
  /**
   * Wait until content is durable before `store` resolves. Otherwise, the latest content may be lost if the machine
   * crashes. For your own `database`, set `synchronous` there. Defaults to `false`.
   */
  readonly fsync?: boolean | undefined
  /** Number of content bytes per row, from 4,096 to 1,048,576. Existing rows do not change. Defaults to 131,072. */
  readonly chunkBytes?: number | undefined
}

/**
 * Store content in an SQLite database, which is one file. Several processes on one machine can share it.
 *
 * Rejects with `unavailable` and the fix if the disk is full, the file is not accessible, or other processes use it for
 * longer than `busyTimeoutMs`. Rejects with `corrupt` if the file is damaged. A database of another application or a
 * newer version is rejected, and not changed.
 *
 * @param target - A path, an open database, or options.
 * @param options - Further options, if `target` is a path or a database.
 * @throws TypeError if an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 * import { SqliteStorage } from '@spillway/sqlite'
 *
 * const storage = new SqliteStorage(join(await mkdtemp(join(tmpdir(), 'spill-')), 'spill.db'))
 * const session = storage.scope('tenant-1', 'session-1')
 * const reference = await session.store('call_1_0', new TextEncoder().encode('hello'))
 * const { content, contentType } = await session.retrieve(reference)
 * console.assert(new TextDecoder().decode(content) === 'hello' && contentType === 'text/plain')
 * ```
 */
export class SqliteStorage extends ManagedStorage {
  constructor(target: string | SqliteDatabase | SqliteStorageOptions, options: SqliteStorageOptions = {}) {
    assertKnownOptions(options, OWN_NAMES, 'SqliteStorage')
    const { path, database, busyTimeoutMs, fsync, chunkBytes, ...managed } = { ...asOptions(target), ...options }
    super(openDriver({ path, database, busyTimeoutMs, fsync, chunkBytes }), managed)
  }
}

function asOptions(options: string | SqliteDatabase | SqliteStorageOptions = {}): SqliteStorageOptions {
  if (typeof options === 'string') return { path: options }
  if (isSqliteDatabase(options)) return { database: options }
  assertKnownOptions(options, OWN_NAMES, 'SqliteStorage')
  return options
}

function openDriver({
  path,
  database,
  busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
  fsync = false,
  chunkBytes = DEFAULT_CHUNK_BYTES,
}: SqliteStorageOptions): StorageDriver {
  if (!(Number.isFinite(busyTimeoutMs) && busyTimeoutMs >= 0 && busyTimeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`busyTimeoutMs must be a number of milliseconds, 0 or more, got ${shown(busyTimeoutMs)}.`)
  assertWhole('chunkBytes', chunkBytes, MIN_CHUNK_BYTES, MAX_CHUNK_BYTES)
  assertBoolean('fsync', fsync)
  if (fsync && database !== undefined)
    throw new TypeError(`fsync needs a path. For your own database, call database.pragma('synchronous = FULL').`)
  if ((path === undefined) === (database === undefined))
    throw new TypeError('SqliteStorage takes either a path or a database: new SqliteStorage({ path }).')
  if (database !== undefined && !isSqliteDatabase(database))
    throw new TypeError(`database must be an open Database of better-sqlite3, got ${shown(database)}.`)
  return sqliteDriver(new Connection({ source: sourceOf(database ?? path), busyTimeoutMs, fsync }), chunkBytes)
}

const PAGE = 500
const REMOVED_TOGETHER = 64

function sqliteDriver(connection: Connection, chunkBytes: number): StorageDriver {
  /** Returns whether an entry was removed. The remaining content is collected later. */
  const purge = async (removed: RemovedEntry | undefined): Promise<boolean> => {
    if (removed?.loose !== undefined) await Promise.allSettled([purgeContent(connection, removed.loose)])
    return removed !== undefined
  }
  return {
    // Up to this size, `write` itself checks whether an entry exists, in its single transaction.
    touchFirstBytes: BATCH_BYTES,
    collectsHourly: true,
    write: (id, chunks, info, lineIndex) => writeEntry(connection, id, chunkBytes, chunks, info, lineIndex),
    read: (id, range) => readEntry(connection, id, range),
    open: (id) => openEntry(connection, id),
    stat: async (id) => (await findEntryInfo(connection, id))?.info,

    async touch(id, lastUsedAt) {
      if (connection.isHeld) {
        // If the entry is missing, the store continues with a write, which waits for the owner.
        if ((await connection.read((session) => findEntry(session, id))) === undefined) return undefined
        // A retrieval must not wait for the owner, so the last use is not renewed.
        throw connection.heldError()
      }
      return connection.change((session) => touchEntry(session, id, lastUsedAt))
    },

    async remove(id) {
      const removed = await connection.change((session) => {
        deleteTombstone(session, id)
        return release(session, deleteEntry(session, id))
      })
      return purge(removed)
    },

    async evict(id, unusedSince, eviction) {
      const removed = await connection.change((session) => {
        const released = release(session, deleteEntry(session, id, unusedSince))
        // On a full disk, the freed pages have room for the tombstone.
        if (released !== undefined && eviction !== undefined) insertTombstone(session, id, eviction)
        return released
      })
      return purge(removed)
    },

    findEviction: (id) => connection.read((session) => findTombstone(session, id)),

    async *list(prefix, { unusedSince, below, except } = {}) {
      if (unusedSince !== undefined && prefix === '') return yield* listLeastUsed(connection, unusedSince)
      const isLeft = except && ((id: EntryId) => except(id) || (below === false && id.includes('/', prefix.length)))
      for (let left: IdRange | undefined = idRange(prefix); left !== undefined;) {
        const range: IdRange = left
        // No statement stays open between two pages, because it would block checkpoints.
        const page = await connection.read((session) => {
          if (unusedSince === undefined) return entriesFrom(session, range, PAGE, isLeft)
          return unusedEntriesFrom(session, range, unusedSince, PAGE)
        })
        for (const entry of page?.entries ?? []) yield listed(entry)
        left = page?.left
      }
    },

    async *removeAll(prefix) {
      const range = idRange(prefix)
      for (;;) {
        const removed = (await connection.change((session) => removeSome(session, range))) ?? []
        for (const one of removed) {
          await purge(one)
          yield one.id
        }
        if (removed.length === 0) break
      }
      while ((await connection.change((session) => deleteTombstones(session, range))) === true) continue
    },

    collect: (prefix, now) => collect(connection, prefix, now),
    close: async () => connection.close(),
  }
}

const MAX_ATTEMPTS = 10

type WholeEntry = FoundEntry & { readonly info: NonNullable<FoundEntry['info']> }

/** Throws `corrupt` if the description is damaged. */
async function findEntryInfo(connection: Connection, id: EntryId): Promise<WholeEntry | undefined> {
  return connection.read((session) => {
    const entry = wholeEntry(session, id)
    const lineIndex = entry && findLineIndex(session, entry.place.content)
    return entry && lineIndex !== undefined ? { ...entry, info: { ...entry.info, lineIndex } } : entry
  })
}

/** Throws `corrupt` if the content is damaged. */
async function readEntry(connection: Connection, id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const entry = await connection.read((session) => {
      const found = wholeEntry(session, id)
      const content =
        found && range === undefined && isOneChunk(found.place) ? readOnlyChunk(session, found) : undefined
      return found && { ...found, content }
    })
    if (entry === undefined) return undefined
    const content = entry.content ?? (await readParts(connection, entry, range))
    if (content !== undefined) return { content, info: entry.info }
    if (await exists(connection, entry)) throw damagedRowsError(id)
    // The entry was removed during the read and may be stored again.
  }
  return undefined
}

/** Content is never overwritten: as long as the entry exists, its content number has the same bytes. */
async function openEntry(connection: Connection, id: EntryId): Promise<OpenEntry | undefined> {
  const entry = await findEntryInfo(connection, id)
  if (entry === undefined) return undefined
  return {
    info: entry.info,
    read: async (range, buffer) => {
      const content = await readParts(connection, entry, range, buffer)
      if (content !== undefined) return content
      throw (await exists(connection, entry)) ? damagedRowsError(id) : removedError(splitId(id).reference)
    },
    close: async () => undefined,
  }
}

/** Returns `undefined` if a byte is missing. */
async function readParts(
  connection: Connection,
  entry: ContentOfEntry,
  range?: ByteRange,
  buffer?: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { place } = entry
  const { length } = piecesOfRange(place.size, place.chunkBytes, range)
  const target = buffer?.subarray(0, length) ?? new Uint8Array(length)
  let filled = 0
  for (const span of batchesOf(place, range)) {
    const part = target.subarray(filled, filled + span.length)
    if ((await connection.read((session) => copyChunks(session, entry, span, part))) !== true) return undefined
    filled += span.length
  }
  return target
}

async function exists(connection: Connection, { id, place }: FoundEntry): Promise<boolean> {
  const now = await connection.read((session) => findEntry(session, id))
  return now?.place.content === place.content
}

const isOneChunk = ({ size, chunkBytes }: ContentPlace): boolean => size <= chunkBytes

/** Throws if the description is damaged, or if the entry may have been stored since this snapshot. */
function wholeEntry(session: Session, id: EntryId): WholeEntry | undefined {
  const entry = findEntry(session, id)
  if (entry === undefined) {
    session.assertCurrent()
    return undefined
  }
  if (entry.info === undefined) throw damagedRowsError(id)
  return { ...entry, info: entry.info }
}

async function* listLeastUsed(connection: Connection, unusedSince: number): AsyncGenerator<DriverEntry> {
  for (let last: FoundEntry | undefined; ;) {
    const page = await connection.read((session) => leastUsedEntries(session, last, unusedSince, PAGE))
    for (const entry of page ?? []) yield listed(entry)
    last = page?.at(-1)
    if (page?.length !== PAGE) return
  }
}

/** A removed entry. `loose` is set if its content must still be removed. */
interface RemovedEntry {
  readonly id: EntryId
  readonly loose: LooseContent | undefined
}

function release(session: Session, entry: FoundEntry | undefined): RemovedEntry | undefined {
  if (entry === undefined) return undefined
  return { id: entry.id, loose: releaseContent(session, entry) }
}

/** Removes the first entries of a range, as many as fit into a short transaction. */
function removeSome(session: Session, range: IdRange): RemovedEntry[] {
  const removed: RemovedEntry[] = []
  let bytes = 0
  for (const { id, place } of entriesFrom(session, range, REMOVED_TOGETHER).entries) {
    if (bytes > 0 && bytes + place.size > BATCH_BYTES) break
    const gone = release(session, deleteEntry(session, id))
    if (gone !== undefined) removed.push(gone)
    bytes += place.size
  }
  return removed
}

/** Content of this age is a leftover, because running writers renew their content every minute. */
export const LEFTOVER_AGE_MS: number = 10 * 60_000

export const SELECT_LEFTOVER =
  'SELECT content, id FROM spillway_loose WHERE content > ? AND id >= ? AND id < ? AND renewed_at < ? ORDER BY content LIMIT 1'

async function collect(connection: Connection, prefix: string, now: number): Promise<CollectReport> {
  const report = { leftovers: 0, bytes: 0 }
  const isThere = (await connection.read(() => true)) === true
  if (!isThere) return report
  const { from, to } = idRange(prefix)
  // Abandoned content has the time 0.
  const before = Math.max(1, now - LEFTOVER_AGE_MS)
  for (let content = 0; ;) {
    const found = await connection.read((session) => session.get(SELECT_LEFTOVER, content, from, to, before))
    if (found === undefined) break
    const leftover = found as LooseContent
    ;({ content } = leftover)
    if (!(await connection.write((session) => claimLoose(session, leftover, before)))) continue
    report.bytes += await purgeContent(connection, leftover)
    report.leftovers += 1
  }
  while (await connection.write((session) => deleteOldTombstones(session, now))) continue
  await returnSpace(connection)
  return report
}

const PAGES = 128

/** Returns unused pages to the disk. On a shared database, its own settings decide, and the owner manages the log. */
async function returnSpace(connection: Connection): Promise<void> {
  for (let free = await freePages(connection); free > 0;) {
    await connection.write(({ database }) => void database.pragma(`incremental_vacuum(${PAGES})`))
    const left = await freePages(connection)
    if (left >= free) break
    free = left
  }
  if (!connection.isShared) await connection.read(({ database }) => database.pragma('wal_checkpoint(TRUNCATE)'))
}

const freePages = async (connection: Connection): Promise<number> =>
  (await connection.read(({ database }) => Number(database.pragma('freelist_count', { simple: true })))) ?? 0
