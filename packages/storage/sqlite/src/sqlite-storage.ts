import { resolve } from 'node:path'
import { ManagedStorage, assertKnownOptions, type ManagedStorageOptions } from '@spillway/core/driver'
import { isSqliteDatabase, type SqliteDatabase } from './sqlite-database.ts'
import { SqliteDriver, type SqliteDriverOptions } from './sqlite-driver.ts'

const DEFAULT_BUSY_TIMEOUT_MS = 5_000
const DEFAULT_CHUNK_BYTES = 131_072
const MIN_CHUNK_BYTES = 4_096
const MAX_CHUNK_BYTES = 1_048_576
/** The longest time that a timer takes. */
const MAX_TIMEOUT_MS = 2_147_483_647
const OWN_NAMES: readonly string[] = [
  'path',
  'database',
  'busyTimeoutMs',
  'fsync',
  'chunkBytes',
  'evictAfterTurns',
  'ttlMs',
  'maxBytes',
  'now',
] satisfies (keyof SqliteStorageOptions)[]

/** Options of {@link SqliteStorage}. It takes either `path` or `database`. */
export interface SqliteStorageOptions extends ManagedStorageOptions {
  /**
   * The database file; made at the first store, with the directories that lead to it. A relative path is resolved at
   * construction.
   */
  readonly path?: string | undefined
  /**
   * An open `Database` of better-sqlite3 to keep the tables in, whose names begin with `spillway_`. It is never closed,
   * and its settings stay as they are. It should be in WAL mode.
   */
  readonly database?: SqliteDatabase | undefined
  /** How long to wait for other connections that are writing, in milliseconds. The event loop goes on. Defaults to 5,000. */
  readonly busyTimeoutMs?: number | undefined
  /**
   * Wait until content has reached the medium before `store` resolves, so that it survives a power failure. Without it,
   * content survives a killed process, but the latest may be lost when the machine crashes. Not for a `database` of your
   * own: set `synchronous` there. Defaults to `false`.
   */
  readonly fsync?: boolean | undefined
  /** How many bytes of content a row holds, from 4,096 to 1,048,576; what is stored already stays. Defaults to 131,072. */
  readonly chunkBytes?: number | undefined
}

/**
 * Keep content in an SQLite database: one file, which any number of processes on one machine may share.
 *
 * A full disk, a file that cannot be opened or written, and one that others keep busy beyond `busyTimeoutMs` reject with
 * the code `unavailable` and a message that names the file and the fix; a damaged file with `corrupt`. A database of
 * another application, or with tables of a newer version, is refused and left as it is.
 *
 * @throws TypeError where an option is unknown or impossible.
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
  constructor(options: string | SqliteDatabase | SqliteStorageOptions) {
    const { path, database, busyTimeoutMs, fsync, chunkBytes, ...managed } = asOptions(options)
    super(new SqliteDriver(driverOptions({ path, database, busyTimeoutMs, fsync, chunkBytes })), managed)
  }
}

function asOptions(options: string | SqliteDatabase | SqliteStorageOptions): SqliteStorageOptions {
  if (typeof options === 'string') return { path: options }
  if (isSqliteDatabase(options)) return { database: options }
  assertKnownOptions(options, OWN_NAMES, 'SqliteStorage')
  return options
}

function driverOptions({
  path,
  database,
  busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
  fsync = false,
  chunkBytes = DEFAULT_CHUNK_BYTES,
}: SqliteStorageOptions): SqliteDriverOptions {
  if (!(Number.isFinite(busyTimeoutMs) && busyTimeoutMs >= 0 && busyTimeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`busyTimeoutMs must be a number of milliseconds, 0 or more, got ${busyTimeoutMs}.`)
  if (!(Number.isInteger(chunkBytes) && chunkBytes >= MIN_CHUNK_BYTES && chunkBytes <= MAX_CHUNK_BYTES))
    throw new TypeError(`chunkBytes must be whole, from ${MIN_CHUNK_BYTES} to ${MAX_CHUNK_BYTES}, got ${chunkBytes}.`)
  if (typeof fsync !== 'boolean') throw new TypeError(`fsync must be true or false, got ${String(fsync)}.`)
  if (fsync && database !== undefined)
    throw new TypeError(
      `fsync is for a path. Of a database of your own, set it there: database.pragma('synchronous = FULL').`,
    )
  return { source: sourceOf(path, database), busyTimeoutMs, fsync, chunkBytes }
}

function sourceOf(path: unknown, database: unknown): string | SqliteDatabase {
  if ((path === undefined) === (database === undefined))
    throw new TypeError('SqliteStorage takes either a path or a database: new SqliteStorage({ path }).')
  if (database !== undefined) {
    if (isSqliteDatabase(database)) return database
    throw new TypeError(`database must be an open Database of better-sqlite3, got ${typeof database}.`)
  }
  if (typeof path !== 'string' || path !== path.trim() || path === '' || path.includes('\0'))
    throw new TypeError(`path must be that of a file, such as './spill.db', without blanks at its ends.`)
  if (path === ':memory:')
    throw new TypeError(`For content in memory use @spillway/memory, or pass a database: new Database(':memory:').`)
  if (/^file:/i.test(path)) throw new TypeError('path must be a path and no URL.')
  return resolve(path)
}
