import { StorageError } from '@spillway/core/driver'
import type { SqliteDatabase } from './sqlite-database.ts'
import { DatabaseInUse } from './sqlite-error.ts'

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
export const APPLICATION_ID = 0x5370_696c

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
export function isForeign(database: SqliteDatabase): boolean {
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
      'unavailable',
      `The tables in ${database.name} have version ${version}, and this @spillway/sqlite knows versions up to ${steps.length}. Update @spillway/sqlite, or use another file.`,
      { retryable: false },
    )
  return version === steps.length
}
