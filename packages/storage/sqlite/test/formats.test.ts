import { readFile, writeFile } from 'node:fs/promises'
import { formatFixture, problemsOfFormat, storeFormatSample } from '@spillway-internal/storage-suite'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { SqliteStorage } from '../src/index.ts'
import { temporaryPath } from './support/temporary-path.ts'

const FIXTURE = new URL('formats/format-1.json.gz', import.meta.url)

/** Restore a database that was recorded in an earlier version. */
async function restored(): Promise<string> {
  const { database } = await formatFixture(FIXTURE, async () => {
    const path = await temporaryPath()
    const storage = new SqliteStorage(path)
    await storeFormatSample(storage)
    await storage.close()
    return { database: await readFile(path, 'base64') }
  })
  const path = await temporaryPath()
  await writeFile(path, Buffer.from(database as string, 'base64'))
  return path
}

it('SqliteStorage reads entries stored in format 1', async () => {
  const storage = new SqliteStorage(await restored())
  expect(await problemsOfFormat(storage)).toEqual([])
  await storage.close()
})

it('SqliteStorage refuses a database of a newer format, and does not change it', async () => {
  const path = await restored()
  const database = new Database(path)
  database.prepare('UPDATE spillway_schema SET version = version + 1').run()
  database.close()
  const before = await readFile(path)
  const storage = new SqliteStorage(path)
  const refused = { code: 'unsupported', message: expect.stringContaining('Update @spillway/sqlite') as unknown }
  await expect(storage.store('key', new Uint8Array(1))).rejects.toMatchObject(refused)
  await storage.close()
  expect((await readFile(path)).equals(before)).toBe(true)
})
