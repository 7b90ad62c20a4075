import { StorageError } from '@spillway/core/driver'
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, realpathSync, statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseInUse, isBusy, LogRemoved, sqliteCode, type SqliteDatabase } from './sqlite-error.ts'

/** A page is written to the log whole, however little of it is new: three of them for each entry, besides its content. */
const PAGE_BYTES = 4_096
/** Room for the inner pages of the trees of a million entries, so that finding one of them reads two pages. */
const CACHE_KIB = 8_192
/** After how many pages the log is written back: 4 MB. */
const CHECKPOINT_PAGES = 1_000
const NO_PERMISSION: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS']

/** How to open a database file. */
interface OpenFileOptions {
  readonly open: OpenDatabase
  readonly path: string
  readonly fsync: boolean
}

/**
 * Open a database file, make it where it is not there, and bring its tables up to date. Where it may not be written, it
 * is opened for reading. Throws where it is no database, or one of another application, which is left as it is.
 */
export function openFile(options: OpenFileOptions): SqliteDatabase {
  const { path } = options
  makeFile(path)
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new StorageError('unavailable', `${path} must be a file, and is something else. Choose another path.`)
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
    // Not before: it reads the file, and with that fixes what is decided where the file is new.
    database.pragma(`cache_size = -${CACHE_KIB}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Make the file, readable for its owner alone, as SQLite would not; it also sees to the files beside it. */
function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // What may not be written here, or lies on a read-only disk, may still be there to be read.
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

/**
 * Make sure that nobody uses the file with a log that has been removed: two logs for one file destroy what the other one
 * holds. Only whoever is alone with the file makes a log, or the index of one.
 */
function assertLogIsThere({ open, path }: OpenFileOptions): void {
  if (!existsSync(path)) return
  const [hasLog, hasIndex] = logFiles(realpathSync(path)).map((name) => existsSync(name))
  if (hasLog && hasIndex) return
  // The index is never without its log, except for a moment while another process opens or closes both.
  if (hasIndex || !isAlone(open, path)) throw new LogRemoved(path)
}

/** Whether a file can be locked for one connection alone, or not be written at all. Makes no log. */
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
    // Tables that are new must be in the file itself before there is a log.
    migrate(database)
    database.pragma('journal_mode = WAL')
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  } catch (error) {
    // A file that may only be read is good for reading, if its tables are those of this version.
    if (sqliteCode(error)?.startsWith('SQLITE_READONLY') !== true || schemaVersion(database) === 0) throw error
    migrate(database)
  }
}

/**
 * How the tables come about: each step brings them from one version to the next, the first one from nothing to version 1.
 *
 * - `spillway_schema`: one row: the version, the next content number to hand out, and the id of the database. No number is
 *   ever handed out twice.
 * - `spillway_database`: the id once more. This row is written once, before there is a write-ahead log, and is always read
 *   from the file itself.
 * - `spillway_entry`: an entry exists where it has a row here. `id` begins with the scope, so that a scope and those below
 *   it are a range of it.
 * - `spillway_chunk`: content in pieces; piece `i` of content `n` is row `n * 2^20 + i`.
 * - `spillway_lines`: where lines begin in large text.
 * - `spillway_loose`: content that belongs to no entry: not yet, for as long as `renewed_at` is kept up, or not any more.
 * - `spillway_tombstone`: what was evicted. `place` counts up in each scope.
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

/** "Spil" in ASCII: how `file` and others may tell whose database it is. */
const APPLICATION_ID = 0x5370_696c

/** Return the version of the tables of this package in a database, 0 where it has none. */
export function schemaVersion(database: SqliteDatabase): number {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'spillway_schema'`)
  if (table.get() === undefined) return 0
  const statement = database.prepare('SELECT version FROM spillway_schema')
  statement.safeIntegers(false)
  return (statement.get() as { version: number } | undefined)?.version ?? 0
}

/**
 * Return the id that a database got when it was made, as it is in the file by now. Throws `unavailable` if the log has
 * another one, and therefore belongs to another database.
 */
export function databaseId(database: SqliteDatabase): string {
  // Pages that SQLite remembers are not read again.
  database.pragma('shrink_memory')
  const [row] = database.prepare('SELECT id, database_id FROM spillway_database, spillway_schema').all() as readonly {
    readonly id: string
    readonly database_id: string
  }[]
  if (row !== undefined && row.id === row.database_id) return row.id
  throw new StorageError(
    'unavailable',
    `${database.name} and its log ${database.name}-wal belong to different databases: one of them was replaced. Stop all processes that use it, remove ${database.name}-wal and ${database.name}-shm, and restore ${database.name} from a backup.`,
    { retryable: false },
  )
}

/** Whether a database has tables, or a name, that are not of this package. */
function isForeign(database: SqliteDatabase): boolean {
  if (schemaVersion(database) > 0) return false
  const name = Number(database.pragma('application_id', { simple: true }))
  const isOther = (name !== 0 && name !== APPLICATION_ID) || hasTables(database)
  // Another process that is just making the tables has made them in the meantime.
  return isOther && schemaVersion(database) === 0
}

const hasTables = (database: SqliteDatabase): boolean =>
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined

/**
 * Bring the tables to the latest version, in one transaction; nothing is done where they have it. Throws `unavailable`
 * where they are newer than this package.
 */
export function migrate(database: SqliteDatabase, steps: readonly string[] = SCHEMA_STEPS): void {
  if (isLatest(database, steps)) return
  // Only a connection of somebody else can be in a transaction here. Tables made in it could be rolled back with it.
  if (database.inTransaction) throw new DatabaseInUse()
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have done it in the meantime.
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

/** How better-sqlite3 opens a file. */
export type OpenDatabase = (
  path: string,
  options: { readonly readonly: boolean; readonly timeout: number },
) => SqliteDatabase

/** Load better-sqlite3, which is only needed where a path is to be opened; `unavailable` where it is not installed. */
export async function loadBetterSqlite(): Promise<OpenDatabase> {
  try {
    const { default: Database } = await import('better-sqlite3')
    return (path, options) => new Database(path, options)
  } catch (cause) {
    throw new StorageError(
      'unavailable',
      'SqliteStorage needs the package better-sqlite3, which could not be loaded. Run: npm install better-sqlite3',
      { cause, retryable: false },
    )
  }
}

/**
 * The files of an open database. SQLite keeps using a file that was removed or renamed, and whatever it commits there is
 * lost when the process ends, so the names are compared with what was opened.
 */
export class DatabaseFiles {
  readonly #path: string
  readonly #main: Stats
  #checkedState: string | undefined
  /** The write-ahead log and its index. They lie beside the file itself if the path is a link. */
  readonly #beside: readonly { readonly path: string; readonly stats: Stats | undefined }[]

  constructor(path: string) {
    this.#path = path
    this.#main = statSync(path)
    const real = realpathSync(path)
    this.#beside = logFiles(real).map((name) => ({ path: name, stats: statusOf(name) }))
  }

  /**
   * Throw `unavailable` if the path no longer leads to the file that was opened. If the file was written to since the last
   * call, by a checkpoint or by a copy over it, `assertContent` must throw unless it is still the same database.
   */
  assertInPlace(assertContent: () => void): void {
    const found = findDatabase(this.#path)
    if (found === undefined) throw goneError(this.#path)
    if (!isSame(this.#main, found)) throw replacedError(this.#path)
    const state = `${found.ctimeMs} ${found.size}`
    if (state === this.#checkedState) return
    assertContent()
    this.#checkedState = state
  }

  /**
   * Return whether the log or its index was removed. Throws `unavailable` if there are other ones, which other
   * connections may use by now.
   */
  hasLostLog(): boolean {
    const changed = this.#beside.map(({ path, stats }) => ({ path, stats, found: statusOf(path) }))
    const replaced = changed.find(({ stats, found }) => stats && found && !isSame(stats, found))
    if (replaced !== undefined) throw replacedError(replaced.path)
    return changed.some(({ stats, found }) => (stats === undefined) !== (found === undefined))
  }
}

/** Return the paths of the write-ahead log of a database, and of the index of the log. */
const logFiles = (path: string): [log: string, index: string] => [`${path}-wal`, `${path}-shm`]

/**
 * Return the file that a path leads to, `undefined` if there is none yet. Throws if a part of the path is not a directory,
 * or a link that leads nowhere, for example to a disk that is not mounted: stored content may be behind it.
 */
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
    `${path} cannot be opened: the link ${link} leads nowhere. Put back what it leads to, or remove the link.`,
  )
}

/** The error of a file that another one has taken the place of. */
export const replacedError = (path: string): StorageError =>
  new StorageError(
    'unavailable',
    `${path} was replaced while it was in use. Put the former file back, or create another SqliteStorage to use the new one.`,
  )

const goneError = (path: string): StorageError =>
  new StorageError(
    'unavailable',
    `${path} was removed or moved while it was in use. Put it back, or begin anew with another SqliteStorage.`,
  )

const statusOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

const isSame = (file: Stats, other: Stats): boolean => file.ino === other.ino && file.dev === other.dev

function brokenLink(path: string): string | undefined {
  // What is found first from behind is a link that leads nowhere, or the last directory that there is.
  let last = path
  while (lstatSync(last, { throwIfNoEntry: false }) === undefined && dirname(last) !== last) last = dirname(last)
  return existsSync(last) ? undefined : last
}
