import { StorageError } from '@spillway/core/driver'
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, realpathSync, statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseInUse, isBusy, LogRemoved, sqliteCode, type SqliteDatabase } from './sqlite-error.ts'

/** Size of a page. SQLite writes whole pages to the log: three for each entry, in addition to its content. */
const PAGE_BYTES = 4_096
/** Size of the cache: the inner pages of a million entries, so that finding an entry reads two pages. */
const CACHE_KIB = 8_192
/** Number of pages after which the log is written back: 4 MB. */
const CHECKPOINT_PAGES = 1_000
/** Version of Node-API that better-sqlite3 needs. */
const OLDEST_NODE_API = 10
const NO_PERMISSION: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS']

interface OpenFileOptions {
  readonly open: OpenDatabase
  readonly path: string
  readonly fsync: boolean
}

/** Creates a missing file. Opens a write-protected file for reading. Throws if the file is not a storage. */
export function openFile(options: OpenFileOptions): SqliteDatabase {
  const { path } = options
  makeFile(path)
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new StorageError('unavailable', `${path} is not a file. Choose another path.`)
  assertLogIsThere(options)
  const database = openConnection(options)
  try {
    if (isForeign(database))
      throw new StorageError(
        'unavailable',
        `${path} is a database of another application. Choose another path; to share a database, open it and pass the Database.`,
        { retryable: false },
      )
    setUp(database, options)
    // Set the cache size only now, because the pragma reads the file, which fixes settings of a new file.
    database.pragma(`cache_size = -${CACHE_KIB}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Creates a file that only its owner can read, unlike SQLite. SQLite gives the log the same mode. */
function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A file that cannot be written may still be readable.
    if (code !== 'EEXIST' && !(NO_PERMISSION.includes(code) && existsSync(path))) throw error
  }
}

function openConnection({ open, path }: OpenFileOptions): SqliteDatabase {
  try {
    return open(path, { readonly: false, timeout: 0 })
  } catch (error) {
    if (sqliteCode(error)?.startsWith('SQLITE_CANTOPEN') !== true) throw error
    return open(path, { readonly: true, timeout: 0 })
  }
}

/** Checks that the log exists, because two logs for one file destroy data. Only a sole connection may create it. */
function assertLogIsThere({ open, path }: OpenFileOptions): void {
  if (!existsSync(path)) return
  const [hasLog, hasIndex] = logFiles(realpathSync(path)).map((name) => existsSync(name))
  if (hasLog && hasIndex) return
  // The index exists without its log only while another process opens or closes both.
  if (hasIndex || !isAlone(open, path)) throw new LogRemoved(path)
}

/** Whether this connection can lock the file exclusively, or the file is read-only. Does not create a log file. */
function isAlone(open: OpenDatabase, path: string): boolean {
  let database: SqliteDatabase | undefined
  try {
    database = open(path, { readonly: false, timeout: 0 })
    database.pragma('locking_mode = EXCLUSIVE')
    schemaVersion(database)
    return true
  } catch (error) {
    return !isBusy(error)
  } finally {
    database?.close()
  }
}

function setUp(database: SqliteDatabase, { fsync }: OpenFileOptions): void {
  database.pragma('trusted_schema = OFF')
  try {
    database.pragma(`synchronous = ${fsync ? 'FULL' : 'NORMAL'}`)
    if (schemaVersion(database) === 0) {
      database.pragma(`page_size = ${PAGE_BYTES}`)
      database.pragma('auto_vacuum = INCREMENTAL')
      database.pragma(`application_id = ${APPLICATION_ID}`)
    }
    // New tables must be in the file itself before a log exists.
    migrate(database)
    database.pragma('journal_mode = WAL')
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  } catch (error) {
    // A read-only file is usable if its tables are of this version.
    if (sqliteCode(error)?.startsWith('SQLITE_READONLY') !== true || schemaVersion(database) === 0) throw error
    migrate(database)
  }
}

/**
 * Migrations. Each step creates the next version, and the first one creates version 1.
 *
 * - `spillway_schema`: one row that has the version, the next content number, and the id of the database. Content
 *   numbers are never used again.
 * - `spillway_database`: the same id. The id was written before a log existed, so it is read from the database file.
 * - `spillway_entry`: one row for each entry. `id` starts with the scope, so that a scope is a range of ids.
 * - `spillway_chunk`: chunk `i` of content `n` is row `n * 2^20 + i`.
 * - `spillway_lines`: line indexes of large text.
 * - `spillway_loose`: content without an entry. Its writer renews `renewed_at`. Otherwise, its entry was removed.
 * - `spillway_tombstone`: evicted entries. `place` is a counter in each scope.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `CREATE TABLE spillway_schema (version INTEGER NOT NULL, next_content INTEGER NOT NULL, database_id TEXT NOT NULL) STRICT;
  INSERT INTO spillway_schema VALUES (1, 1, lower(hex(randomblob(16))));
  CREATE TABLE spillway_database (id TEXT NOT NULL) STRICT;
  INSERT INTO spillway_database SELECT database_id FROM spillway_schema;
  CREATE TABLE spillway_entry (
    id TEXT PRIMARY KEY NOT NULL,
    content INTEGER NOT NULL,
    size INTEGER NOT NULL,
    chunk_bytes INTEGER NOT NULL,
    last_used_at REAL NOT NULL,
    description TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX spillway_entry_use ON spillway_entry (last_used_at);
  CREATE TABLE spillway_chunk (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE spillway_lines (content INTEGER PRIMARY KEY, line_index TEXT NOT NULL) STRICT;
  CREATE TABLE spillway_loose (content INTEGER PRIMARY KEY, id TEXT NOT NULL, renewed_at REAL NOT NULL) STRICT;
  CREATE TABLE spillway_tombstone (
    id TEXT PRIMARY KEY NOT NULL,
    scope TEXT NOT NULL,
    place INTEGER NOT NULL,
    reason TEXT NOT NULL,
    evicted_at REAL NOT NULL,
    metadata TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX spillway_tombstone_place ON spillway_tombstone (scope, place);
  CREATE INDEX spillway_tombstone_age ON spillway_tombstone (evicted_at);`,
]

/** "Spil" in ASCII. The program `file` recognizes the database by this id. */
const APPLICATION_ID = 0x5370_696c

export function schemaVersion(database: SqliteDatabase): number {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'spillway_schema'`)
  if (table.get() === undefined) return 0
  const statement = database.prepare('SELECT version FROM spillway_schema')
  statement.safeIntegers(false)
  return (statement.get() as { version: number } | undefined)?.version ?? 0
}

/** Reads the id of the database. Throws `unavailable` if the log belongs to another database. */
export function databaseId(database: SqliteDatabase): string {
  // Drop cached pages, so that the id is read from the file.
  database.pragma('shrink_memory')
  const [row] = database.prepare('SELECT id, database_id FROM spillway_database, spillway_schema').all() as readonly {
    readonly id: string
    readonly database_id: string
  }[]
  if (row !== undefined && row.id === row.database_id) return row.id
  throw new StorageError(
    'unavailable',
    `${database.name} and its log ${database.name}-wal belong to different databases: one of them was replaced. Stop all processes that use the database, remove ${database.name}-wal and ${database.name}-shm, and restore ${database.name} from a backup.`,
    { retryable: false },
  )
}

function isForeign(database: SqliteDatabase): boolean {
  if (schemaVersion(database) > 0) return false
  const name = Number(database.pragma('application_id', { simple: true }))
  const isOther = (name !== 0 && name !== APPLICATION_ID) || hasTables(database)
  // Another process may have created the tables meanwhile.
  return isOther && schemaVersion(database) === 0
}

const hasTables = (database: SqliteDatabase): boolean =>
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined

/** Migrates in one transaction. Throws `unavailable` if the tables are newer than this package. */
export function migrate(database: SqliteDatabase, steps: readonly string[] = SCHEMA_STEPS): void {
  if (isLatest(database, steps)) return
  // Only a shared connection can be in a transaction here. A rollback would remove the new tables.
  if (database.inTransaction) throw new DatabaseInUse()
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated meanwhile.
    if (!isLatest(database, steps)) {
      for (const step of steps.slice(schemaVersion(database))) database.exec(step)
      database.prepare('UPDATE spillway_schema SET version = ?').run(steps.length)
    }
    database.exec('COMMIT')
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK')
  }
}

function isLatest(database: SqliteDatabase, steps: readonly string[]): boolean {
  const version = schemaVersion(database)
  if (version > steps.length)
    throw new StorageError(
      'unsupported',
      `The tables in ${database.name} have version ${version}, and this @spillway/sqlite knows versions up to ${steps.length}. Update @spillway/sqlite, or use another file.`,
    )
  return version === steps.length
}

export type OpenDatabase = (
  path: string,
  options: { readonly readonly: boolean; readonly timeout: number },
) => SqliteDatabase

/** Throws `unavailable` if better-sqlite3 is not installed, or would crash this older version of Node.js. */
export async function loadBetterSqlite(versions: NodeJS.ProcessVersions = process.versions): Promise<OpenDatabase> {
  const failed = (problem: string, cause?: unknown): StorageError =>
    new StorageError('unavailable', `SqliteStorage needs ${problem}`, { cause, retryable: false })
  if (Number(versions['napi']) < OLDEST_NODE_API) throw failed(`Node.js 22.14 or newer. This is ${versions.node}.`)
  try {
    const { default: Database } = await import('better-sqlite3')
    return (path, options) => new Database(path, options)
  } catch (cause) {
    throw failed('the package better-sqlite3, which could not be loaded. Run: npm install better-sqlite3', cause)
  }
}

/** Checks that names still lead to the opened files, because commits to a removed or renamed file are lost. */
export class DatabaseFiles {
  readonly #path: string
  readonly #main: Stats
  #checkedState: string | undefined
  /** The log and its index. If the path is a link, they are beside the real file. */
  readonly #beside: readonly { readonly path: string; readonly stats: Stats | undefined }[]

  constructor(path: string) {
    this.#path = path
    this.#main = statSync(path)
    const real = realpathSync(path)
    this.#beside = logFiles(real).map((name) => ({ path: name, stats: statusOf(name) }))
  }

  /** Throws `unavailable` if the path leads to another file. Calls `assertContent` if the file has changed. */
  assertInPlace(assertContent: () => void): void {
    const found = findDatabase(this.#path)
    if (found === undefined) throw goneError(this.#path)
    if (!isSame(this.#main, found)) throw replacedError(this.#path)
    const state = `${found.ctimeMs} ${found.size}`
    if (state === this.#checkedState) return
    assertContent()
    this.#checkedState = state
  }

  /** Returns whether the log or its index was removed. Throws `unavailable` if other files replaced them. */
  hasLostLog(): boolean {
    const changed = this.#beside.map(({ path, stats }) => ({ path, stats, found: statusOf(path) }))
    const replaced = changed.find(({ stats, found }) => stats && found && !isSame(stats, found))
    if (replaced !== undefined) throw replacedError(replaced.path)
    return changed.some(({ stats, found }) => (stats === undefined) !== (found === undefined))
  }
}

const logFiles = (path: string): [log: string, index: string] => [`${path}-wal`, `${path}-shm`]

/** Returns `undefined` without a file. Throws for a broken link, because a disk may be missing. */
export function findDatabase(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const link = brokenLink(path)
  if (link === undefined) return undefined
  throw new StorageError(
    'unavailable',
    `${path} cannot be opened: the target of the link ${link} is missing. Restore the target, or remove the link.`,
  )
}

export const replacedError = (path: string): StorageError =>
  new StorageError(
    'unavailable',
    `${path} was replaced while it was in use. Put the former file back, or create another SqliteStorage to use the new file.`,
  )

const goneError = (path: string): StorageError =>
  new StorageError(
    'unavailable',
    `${path} was removed or moved while it was in use. Put it back, or create another SqliteStorage.`,
  )

const statusOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

const isSame = (file: Stats, other: Stats): boolean => file.ino === other.ino && file.dev === other.dev

function brokenLink(path: string): string | undefined {
  // The loop ends at the nearest existing directory, or at a broken link.
  let last = path
  while (lstatSync(last, { throwIfNoEntry: false }) === undefined && dirname(last) !== last) last = dirname(last)
  return existsSync(last) ? undefined : last
}
