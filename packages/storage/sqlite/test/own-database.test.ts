import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SqliteStorage } from '../src/index.ts'
import { collect } from './support/collect.ts'
import { countTurns } from './support/count-turns.ts'
import { temporaryPath } from './support/temporary-path.ts'
import { bytes, pattern, text } from './support/text.ts'

async function ownDatabase(): Promise<Database.Database> {
  const database = new Database(await temporaryPath())
  database.pragma('journal_mode = WAL')
  onTestFinished(() => void database.close())
  return database
}

/**
 * States that an owner may keep for long. Each function begins such a state, reads the rows, and returns a function
 * that ends the state.
 */
const HOLDS = {
  'a transaction': (database: Database.Database): (() => void) => {
    database.exec('BEGIN; SELECT * FROM spillway_entry')
    return () => void database.exec('COMMIT')
  },
  'a query': (database: Database.Database): (() => void) => {
    const rows = database.prepare('SELECT id FROM spillway_entry UNION ALL SELECT 2').iterate()
    rows.next()
    return () => void rows.return?.()
  },
} as const
const HELD = Object.entries(HOLDS)

describe('a Database of the caller', () => {
  test("contains its own tables and Spillway's, keeps its settings, and stays open", async () => {
    const database = await ownDatabase()
    database.exec('CREATE TABLE notes (note TEXT)')
    database.pragma('user_version = 7')
    database.pragma('application_id = 9')
    database.pragma('busy_timeout = 1234')
    const storage = new SqliteStorage(database)
    const reference = await storage.scope('a').store('key', bytes('content'))
    expect(text((await storage.scope('a').retrieve(reference)).content)).toBe('content')
    expect(await storage.gc()).toEqual({ expired: 0, leftovers: 0, bytes: 0 })
    expect(await storage.clear()).toBe(1)
    await storage.close()
    expect(database.open).toBe(true)
    const names = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type IN ('table', 'index')`)
      .pluck()
      .all() as string[]
    expect(names.filter((name) => !/^(?:sqlite_autoindex_)?spillway_/.test(name))).toEqual(['notes'])
    for (const [name, value] of [
      ['user_version', 7],
      ['application_id', 9],
      ['busy_timeout', 1_234],
      ['synchronous', 1],
    ])
      expect(database.pragma(name as string, { simple: true })).toBe(value)
  })

  test('may be in memory, without WAL mode', async () => {
    const storage = new SqliteStorage({ database: new Database(':memory:') })
    const content = pattern(3_000_000)
    const reference = await storage.store('key', content)
    expect(Buffer.compare((await storage.retrieve(reference)).content, content)).toBe(0)
    await storage.delete(reference)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('may return big integers', async () => {
    const database = await ownDatabase()
    database.defaultSafeIntegers(true)
    const storage = new SqliteStorage(database)
    const reference = await storage.store('key', bytes('content'))
    const info = await storage.stat(reference)
    expect([info.size, typeof info.lastUsedAt]).toEqual([7, 'number'])
    await storage.store('key', bytes('content'))
    expect(await collect(storage.list())).toHaveLength(1)
  })

  test("is written only after its own transaction has ended, so that a rollback removes none of Spillway's rows", async () => {
    const database = await ownDatabase()
    const storage = new SqliteStorage(database)
    const first = await storage.store('first', bytes('first'))
    database.exec('BEGIN')
    const storing = storage.store('second', bytes('second'))
    expect(text((await storage.retrieve(first)).content)).toBe('first')
    await new Promise((resolve) => setImmediate(resolve))
    database.exec('ROLLBACK')
    expect(text((await storage.retrieve(await storing)).content)).toBe('second')
  })

  test('is unavailable to writers while its transaction is open, and the error names that reason', async () => {
    const database = await ownDatabase()
    const storage = new SqliteStorage({ database, busyTimeoutMs: 20 })
    database.exec('BEGIN')
    const error = await storage.store('key', bytes('content')).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unavailable', retryable: true })
    expect(String(error)).toMatch(/open transaction .*busyTimeoutMs/)
    database.exec('COMMIT')
    await storage.store('key', bytes('content'))
  })

  test('is written after iterating over its rows has ended', async () => {
    const database = await ownDatabase()
    const storage = new SqliteStorage(database)
    await storage.store('first', bytes('first'))
    const rows = database.prepare('SELECT 1 UNION SELECT 2').iterate()
    rows.next()
    const storing = storage.store('second', bytes('second'))
    await new Promise((resolve) => setImmediate(resolve))
    rows.return?.()
    expect(text((await storage.retrieve(await storing)).content)).toBe('second')
  })

  test('can be read while the caller iterates over its rows, even at first use', async () => {
    const database = await ownDatabase()
    const reference = await new SqliteStorage(database).store('key', bytes('content'))
    const rows = database.prepare('SELECT 1 UNION SELECT 2').iterate()
    rows.next()
    const storage = new SqliteStorage({ database, busyTimeoutMs: 60_000 })
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    expect(await collect(storage.list())).toHaveLength(1)
    rows.return?.()
    expect(database.pragma('busy_timeout', { simple: true })).toBe(5_000)
  })

  test('is read for the first time during its own transaction, unless it has no tables of Spillway', async () => {
    const database = await ownDatabase()
    database.exec('BEGIN')
    await expect(new SqliteStorage({ database, busyTimeoutMs: 20 }).retrieve('key_abc')).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
    })
    database.exec('COMMIT')
    const reference = await new SqliteStorage(database).store('key', bytes('content'))
    database.exec('BEGIN')
    expect(text((await new SqliteStorage(database).retrieve(reference)).content)).toBe('content')
    database.exec('ROLLBACK')
  })

  test.each(HELD)('does not wait to record the use of an entry retrieved during %s', async (_, hold) => {
    const database = await ownDatabase()
    let now = Date.now()
    const storage = new SqliteStorage({ database, busyTimeoutMs: 60_000, now: () => now })
    const reference = await storage.store('key', bytes('content'))
    const large = await storage.store('large', pattern(3_000_000))
    now += 3_600_000
    const end = hold(database)
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    expect((await storage.retrieve(large)).content).toHaveLength(3_000_000)
    const storing = storage.store('other', pattern(3_000_000, 2))
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    end()
    expect((await storage.stat(await storing)).size).toBe(3_000_000)
    await storage.retrieve(reference)
    expect((await storage.stat(reference)).lastUsedAt).toBe(now)
  })

  test.each(HELD)(
    'may omit entries that others stored during %s, but does not report them as missing',
    async (_, hold) => {
      const database = await ownDatabase()
      const storage = new SqliteStorage({ database, busyTimeoutMs: 20 })
      await storage.store('first', bytes('first'))
      const end = hold(database)
      const other = new SqliteStorage(database.name)
      onTestFinished(() => other.close())
      const reference = await other.store('second', bytes('second'))
      for (const read of [() => storage.retrieve(reference), () => storage.stat(reference)])
        await expect(read()).rejects.toMatchObject({ code: 'unavailable', retryable: true })
      end()
      expect(text((await storage.retrieve(reference)).content)).toBe('second')
      await expect(storage.retrieve('key_abc')).rejects.toMatchObject({ code: 'not-found' })
    },
  )

  test('does not block the event loop while another connection writes, with any busy timeout', async () => {
    const database = await ownDatabase()
    const storage = new SqliteStorage({ database, busyTimeoutMs: 500 })
    await storage.store('first', bytes('first'))
    const other = new Database(database.name)
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    const turns = await countTurns(() =>
      expect(storage.store('second', bytes('second'))).rejects.toMatchObject({ code: 'unavailable' }),
    )
    expect(turns).toBeGreaterThan(3)
    other.exec('ROLLBACK')
    await storage.store('second', bytes('second'))
  })

  test('causes an error that names it if it was closed', async () => {
    const database = await ownDatabase()
    const storage = new SqliteStorage(database)
    const reference = await storage.store('key', bytes('content'))
    database.close()
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'unavailable', retryable: false })
    await expect(storage.store('key', bytes('content'))).rejects.toThrow('was closed')
  })

  test('causes an error that names it if it is read-only and has no tables of Spillway', async () => {
    const path = (await ownDatabase()).name
    const database = new Database(path, { readonly: true })
    onTestFinished(() => void database.close())
    await expect(new SqliteStorage(database).retrieve('key_abc')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`${path} cannot be written`) as string,
    })
  })
})
