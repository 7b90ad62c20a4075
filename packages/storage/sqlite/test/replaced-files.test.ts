import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { LEFTOVER_AGE_MS } from '../src/sqlite-storage.ts'
import { BATCH_BYTES } from '../src/contents.ts'
import { SqliteStorage } from '../src/index.ts'
import { inDatabase } from './support/in-database.ts'
import { opened } from './support/opened.ts'
import { temporaryPath } from './support/temporary-path.ts'
import { bytes, pattern } from './support/text.ts'

const SIZE = 5 * BATCH_BYTES

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

/**
 * Make a database of another tenant, whose contents have the same numbers. Return a function that puts it in place of
 * an open database.
 */
async function standIn(path: string, content: Uint8Array): Promise<{ reference: string; put: () => void }> {
  const aside = `${path}.other`
  const other = new SqliteStorage(aside)
  const reference = await other.scope('b').store('large', content)
  await other.close()
  return { reference, put: () => putInPlace(aside, path) }
}

/** Replace all files without yielding, so that no other code finds the path empty. */
function putInPlace(aside: string, path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
  renameSync(aside, path)
}

/** A stream of two chunks that calls `between` between them. */
async function* interrupted(between: () => Promise<void> | void): AsyncGenerator<Uint8Array> {
  yield pattern(SIZE)
  await between()
  yield pattern(SIZE, 2)
}

const countLoose = (path: string): number =>
  inDatabase(path, (database) => database.prepare('SELECT count(*) FROM spillway_loose').pluck().get() as number)

describe('if another database replaces the database in use,', () => {
  test('a writer fails, and removes none of the existing rows', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const content = pattern(SIZE, 3)
    const { reference, put } = await standIn(path, content)
    const error: unknown = await storage
      .scope('a')
      .storeStream('stream', interrupted(put))
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unavailable', retryable: true })
    expect(String(error)).toContain(`${path} was replaced`)
    expect(isEqual((await opened(path).scope('b').retrieve(reference)).content, content)).toBe(true)
  })

  test('two writers with equal content numbers do not mix their content', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const content = pattern(2 * SIZE, 3)
    const other = opened(path)
    const goOn = Promise.withResolvers<void>()
    let storing: Promise<string> | undefined
    const chunks = interrupted(async () => {
      writeFileSync(`${path}.empty`, '')
      putInPlace(`${path}.empty`, path)
      const paused = Promise.withResolvers<void>()
      async function* halves(): AsyncGenerator<Uint8Array> {
        yield content.subarray(0, SIZE)
        paused.resolve()
        await goOn.promise
        yield content.subarray(SIZE)
      }
      storing = other.scope('b').storeStream('stream', halves())
      await paused.promise
    })
    await expect(storage.scope('a').storeStream('stream', chunks)).rejects.toMatchObject({ code: 'unavailable' })
    goOn.resolve()
    const reference = (await storing) ?? ''
    expect(isEqual((await opened(path).scope('b').retrieve(reference)).content, content)).toBe(true)
  })

  test('a writer fails even if the other database has the same unfinished write, as in a copy', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const chunks = interrupted(() => {
      inDatabase(path, (database) => database.exec(`VACUUM INTO '${path}.copy'`))
      putInPlace(`${path}.copy`, path)
    })
    await expect(storage.storeStream('stream', chunks)).rejects.toThrow('was replaced')
    expect(countLoose(path)).toBe(1)
    expect(await opened({ path, now: () => Date.now() + 2 * LEFTOVER_AGE_MS }).gc()).toMatchObject({ leftovers: 1 })
  })

  test('an opened entry is unavailable, and never returns other content that has the same number', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const entry = await storage.scope('a').open(await storage.scope('a').store('large', pattern(SIZE)))
    await entry.read(0, 10)
    const { put } = await standIn(path, pattern(SIZE, 3))
    put()
    await expect(entry.read(3 * BATCH_BYTES, 10)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test.each([
    ['removal', (storage: SqliteStorage, reference: string) => storage.delete(reference)],
    ['gc', (storage: SqliteStorage) => storage.gc()],
  ])('a running %s removes none of the existing rows', async (_, remove) => {
    const path = await temporaryPath()
    let now = Date.now()
    const storage = opened({ path, ttlMs: 1_000, now: () => now })
    const reference = await storage.store('large', pattern(SIZE))
    now += 2_000
    const content = pattern(SIZE, 3)
    const { reference: kept, put } = await standIn(path, content)
    // Each read of the clock adds time, so that the storage yields after the entry is removed.
    const clock = vi.spyOn(performance, 'now')
    onTestFinished(() => clock.mockRestore())
    let time = 0
    clock.mockImplementation(() => (time += 20))
    const removing = remove(storage, reference)
    while (countLoose(path) === 0) await new Promise((resolve) => setImmediate(resolve))
    put()
    await Promise.allSettled([removing])
    expect(isEqual((await opened(path).scope('b').retrieve(kept)).content, content)).toBe(true)
  })
})

test('a writer to a Database of the caller continues if the storage is closed', async () => {
  const path = await temporaryPath()
  const { default: Database } = await import('better-sqlite3')
  const database = new Database(path)
  onTestFinished(() => void database.close())
  const storage = new SqliteStorage(database)
  await storage.store('small', bytes('content'))
  const reference = await storage.storeStream(
    'stream',
    interrupted(() => storage.close()),
  )
  expect((await storage.stat(reference)).size).toBe(2 * SIZE)
})
