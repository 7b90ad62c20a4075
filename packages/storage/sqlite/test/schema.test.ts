import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { migrate, SCHEMA_STEPS, schemaVersion } from '../src/open-file.ts'
import { inDatabase } from './support/in-database.ts'
import { temporaryPath } from './support/temporary-path.ts'

/** A database with an entry, as a program with only the first migration step has written it. */
function writtenByVersion1(): Database.Database {
  const database = new Database(':memory:')
  database.exec(`
    CREATE TABLE spillway_schema (version INTEGER NOT NULL, next_content INTEGER NOT NULL) STRICT;
    INSERT INTO spillway_schema VALUES (1, 2);
    CREATE TABLE spillway_entry (id TEXT PRIMARY KEY NOT NULL, content INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO spillway_entry VALUES ('key_abc', 1);`)
  return database
}

const LATER_STEPS: readonly string[] = [
  ...SCHEMA_STEPS,
  `ALTER TABLE spillway_entry ADD COLUMN color TEXT NOT NULL DEFAULT 'blue'`,
  `CREATE TABLE spillway_later (x); INSERT INTO spillway_later SELECT color FROM spillway_entry`,
]

describe('migration', () => {
  test('migrates an older database step by step, with its entries', () => {
    const database = writtenByVersion1()
    migrate(database, LATER_STEPS)
    expect(schemaVersion(database)).toBe(3)
    expect(database.prepare('SELECT * FROM spillway_entry').get()).toEqual({ id: 'key_abc', content: 1, color: 'blue' })
    expect(database.prepare('SELECT x FROM spillway_later').pluck().all()).toEqual(['blue'])
  })

  test('does nothing the second time', () => {
    const database = writtenByVersion1()
    migrate(database, LATER_STEPS)
    const before = database.serialize()
    migrate(database, LATER_STEPS)
    expect(database.serialize()).toEqual(before)
  })

  test('leaves the database unchanged if it fails halfway', () => {
    const database = writtenByVersion1()
    const before = database.serialize()
    expect(() => migrate(database, [...LATER_STEPS, 'CREATE TABLE spillway_later (x)'])).toThrow('already exists')
    expect(database.inTransaction).toBe(false)
    expect(schemaVersion(database)).toBe(1)
    expect(database.serialize()).toEqual(before)
  })

  test('creates all tables of an empty database', () => {
    const database = new Database(':memory:')
    expect(schemaVersion(database)).toBe(0)
    migrate(database)
    expect(schemaVersion(database)).toBe(SCHEMA_STEPS.length)
  })

  test('refuses newer tables with both versions', () => {
    const database = writtenByVersion1()
    database.exec('UPDATE spillway_schema SET version = 5')
    expect(() => migrate(database, LATER_STEPS)).toThrow(/version 5, .* up to 3/)
  })

  test('runs once if two connections start it at the same time', async () => {
    const path = await temporaryPath()
    inDatabase(path, (first) =>
      inDatabase(path, (second) => {
        first.pragma('journal_mode = WAL')
        second.pragma('busy_timeout = 0')
        first.exec('BEGIN IMMEDIATE')
        expect(() => migrate(second)).toThrow('locked')
        first.exec('ROLLBACK')
        migrate(first)
        migrate(second)
        expect(schemaVersion(second)).toBe(SCHEMA_STEPS.length)
      }),
    )
  })
})
