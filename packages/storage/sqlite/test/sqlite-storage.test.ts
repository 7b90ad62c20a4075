import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { SqliteStorage } from '../src/index.ts'
import { collect } from './support/collect.ts'
import { inDatabase } from './support/in-database.ts'
import { opened } from './support/opened.ts'
import { temporaryPath } from './support/temporary-path.ts'
import { bytes, text } from './support/text.ts'

describe('the database file', () => {
  test('is created by the first store, with its parent directories, and only its owner can access it', async () => {
    const path = join(dirname(await temporaryPath()), 'a/b/spill.db')
    const storage = opened(path)
    expect(existsSync(dirname(path))).toBe(false)
    const reference = await storage.store('key', bytes('content'))
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
    for (const file of await readdir(dirname(path)))
      expect((await stat(join(dirname(path), file))).mode & 0o077).toBe(0)
  })

  test('is not created by any other operation', async () => {
    const path = await temporaryPath()
    const storage = opened({ path, ttlMs: 1_000, evictAfterTurns: 1 })
    await expect(storage.retrieve('key_abc')).rejects.toMatchObject({ code: 'not-found' })
    await expect(storage.stat('key_abc')).rejects.toMatchObject({ code: 'not-found' })
    await storage.delete('key_abc')
    expect(await collect(storage.list())).toEqual([])
    expect(await storage.clear()).toBe(0)
    expect(await storage.gc()).toEqual({ expired: 0, leftovers: 0, bytes: 0 })
    expect(await storage.endTurn()).toEqual({ evicted: [] })
    expect(await readdir(dirname(path))).toEqual([])
  })

  test('is a single file in WAL mode with auto-vacuum after the storage is closed', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    await storage.store('key', bytes('content'))
    await storage.close()
    expect(await readdir(dirname(path))).toEqual(['spill.db'])
    inDatabase(path, (database) => {
      expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
      expect(database.pragma('auto_vacuum', { simple: true })).toBe(2)
      expect(database.pragma('application_id', { simple: true })).toBe(0x5370696c)
    })
  })

  test('is opened again by the first call after closing', async () => {
    const storage = opened(await temporaryPath())
    const reference = await storage.store('key', bytes('content'))
    await storage.close()
    await storage.close()
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
  })

  test('is at the path that was resolved at construction', async () => {
    const path = await temporaryPath()
    const before = process.cwd()
    process.chdir(dirname(path))
    try {
      const storage = opened('spill.db')
      process.chdir(before)
      await storage.store('key', bytes('content'))
    } finally {
      process.chdir(before)
    }
    expect(existsSync(path)).toBe(true)
  })
})

describe('options', () => {
  test.each([
    [{}, 'either a path or a database'],
    [{ path: 'a.db', database: new Database(':memory:') }, 'either a path or a database'],
    ['', 'path must be a file path'],
    ['a.db ', 'path must be a file path'],
    ['a\0b', 'path must be a file path'],
    [':memory:', '@spillway/memory'],
    ['file:a.db?mode=ro', 'must not be a URL'],
    ['sqlite:./a.db', 'must not be a URL'],
    ['~/a.db', 'or begin with ~'],
    [{ path: 7 }, 'path must be a file path'],
    [{ database: {} }, 'database must be an open Database'],
    [undefined, 'either a path or a database'],
    [{ path: 'a.db', tllMs: 1 }, 'Unknown option "tllMs"'],
    [{ path: 'a.db', ttlMs: 0 }, 'ttlMs must be'],
    [{ path: 'a.db', busyTimeoutMs: -1 }, 'busyTimeoutMs must be'],
    [{ path: 'a.db', busyTimeoutMs: 2 ** 40 }, 'busyTimeoutMs must be'],
    [{ path: 'a.db', chunkBytes: 100 }, 'chunkBytes must be'],
    [{ path: 'a.db', fsync: 1 }, 'fsync must be'],
    [{ path: 'a.db', chunkBytes: '8192' }, 'got the string "8192"'],
    [{ database: new Database(':memory:'), fsync: true }, 'synchronous = FULL'],
  ])('refuse %j', (options, message) => {
    expect(() => new SqliteStorage(options as string)).toThrow(TypeError)
    expect(() => new SqliteStorage(options as string)).toThrow(message)
  })

  test('can follow a path or a database', async () => {
    const past = { now: () => 1_000 }
    for (const target of [await temporaryPath(), new Database(':memory:')]) {
      const storage = new SqliteStorage(target, past)
      const { storedAt } = await storage.stat(await storage.store('a', new Uint8Array(1)))
      expect(storedAt).toBe(1_000)
      expect(() => new SqliteStorage(target, { tllMs: 1 } as object)).toThrow('Unknown option "tllMs"')
    }
  })

  test('limit the bytes of a row by chunkBytes, and content stored with another value stays readable', async () => {
    const path = await temporaryPath()
    const content = bytes('0123456789'.repeat(1_000))
    const reference = await opened({ path, chunkBytes: 4_096 }).store('key', content)
    const rows = inDatabase(path, (database) =>
      database.prepare('SELECT length(bytes) FROM spillway_chunk').pluck().all(),
    )
    expect(rows).toEqual([4_096, 4_096, 1_808])
    const other = opened(path)
    expect((await other.retrieve(reference)).content).toEqual(content)
    const { content: part } = await other.retrieveRange(reference, { offset: 4_090, length: 4_110 })
    expect(part).toEqual(content.subarray(4_090, 8_200))
  })

  test('wait for the disk with each store if fsync is set', async () => {
    const storage = opened({ path: await temporaryPath(), fsync: true })
    const reference = await storage.store('key', bytes('content'))
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
  })
})
