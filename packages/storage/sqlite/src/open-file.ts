import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '@spillway/core/driver'
import { logFiles } from './database-files.ts'
import type { OpenDatabase } from './load-better-sqlite.ts'
import { APPLICATION_ID, isForeign, migrate, schemaVersion } from './schema.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { isBusy, LogRemoved, sqliteCode } from './sqlite-error.ts'

/** A page is written to the log whole, however little of it is new: three of them for each entry, besides its content. */
const PAGE_BYTES = 4_096
/** Room for the inner pages of the trees of a million entries, so that finding one of them reads two pages. */
const CACHE_KIB = 8_192
/** After how many pages the log is written back: 4 MB. */
const CHECKPOINT_PAGES = 1_000
const NO_PERMISSION: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS']

/** How to open a database file. */
export interface OpenFileOptions {
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
