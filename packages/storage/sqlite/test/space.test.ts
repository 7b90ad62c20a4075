import { stat } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { SqliteStorage } from '../src/index.ts'
import { collect } from './support/collect.ts'
import { opened } from './support/opened.ts'
import { temporaryPath } from './support/temporary-path.ts'
import { bytes, pattern } from './support/text.ts'

const sizeOf = async (path: string): Promise<number> => (await stat(path)).size

test('gc returns the space of removed entries to the disk', async () => {
  const path = await temporaryPath()
  let now = Date.now()
  const storage = opened({ path, ttlMs: 1_000, now: () => now })
  const kept = await storage.store('first', bytes('first'))
  await storage.store('large', pattern(20_000_000))
  for (let index = 0; index < 200; index += 1) await storage.store(`key ${index}`, pattern(20_000, index))
  now += 900
  await storage.retrieve(kept)
  expect(await sizeOf(path)).toBeGreaterThan(20_000_000)
  now += 200
  expect(await storage.gc()).toEqual({ expired: 201, leftovers: 0, bytes: 24_000_000 })
  expect(await sizeOf(path)).toBeLessThan(300_000)
  expect(await sizeOf(`${path}-wal`)).toBe(0)
  expect((await storage.retrieve(kept)).content).toEqual(bytes('first'))
})

test('gc deletes tombstones after a week', async () => {
  const path = await temporaryPath()
  let now = Date.now()
  const storage = opened({ path, ttlMs: 1_000, now: () => now })
  const reference = await storage.store('key', bytes('content'))
  now += 1_001
  await storage.gc()
  now += 6 * 24 * 3_600_000
  await storage.gc()
  await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'evicted' })
  now += 2 * 24 * 3_600_000
  await storage.gc()
  await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
})

test('gc returns as much space as possible while others read and write', async () => {
  const path = await temporaryPath()
  const [storage, other] = [opened(path), opened(path)]
  for (let index = 0; index < 50; index += 1) await storage.store(`key ${index}`, pattern(200_000, index))
  await storage.clear()
  const stores = Array.from({ length: 50 }, (_, index) => other.store(`other ${index}`, bytes(`${index}`)))
  await Promise.all([storage.gc(), other.gc(), ...stores])
  await storage.gc()
  expect(await sizeOf(path)).toBeLessThan(1_000_000)
  expect(await collect(storage.list())).toHaveLength(50)
})

test('a database of the caller is not shrunk, but its free space is used again', async () => {
  const database = new Database(await temporaryPath())
  onTestFinished(() => void database.close())
  const storage = new SqliteStorage(database)
  await storage.store('large', pattern(5_000_000))
  await storage.clear()
  expect(await storage.gc()).toEqual({ expired: 0, leftovers: 0, bytes: 0 })
  expect(await sizeOf(database.name)).toBeGreaterThan(4_000_000)
  await storage.store('large', pattern(5_000_000, 2))
  expect(await sizeOf(database.name)).toBeLessThan(6_000_000)
})
