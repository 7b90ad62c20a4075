import { mkdir, mkdtemp, rename, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killConformanceWriter } from '@spillway-internal/storage-suite'
import type { ConformanceHarness } from '@spillway/core/conformance'
import { SqliteStorage } from '../src/index.ts'
import { MAX_TOMBSTONES } from '../src/entries.ts'
import { inDatabase } from './support/in-database.ts'
import { BACKEND } from './support/backend-url.ts'

const FILES = ['spill.db', 'spill.db-wal', 'spill.db-shm']

/** Connects the conformance suite to the storage of this package. */
export const sqliteHarness: ConformanceHarness = {
  name: '@spillway/sqlite',
  settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'],
  timeoutMs: 120_000,
  pageSize: 500,
  async create(settings) {
    const directory = await mkdtemp(join(tmpdir(), 'spillway-conformance-'))
    const path = join(directory, 'spill.db')
    let now = Date.now()
    const opened: SqliteStorage[] = []
    const open = (): SqliteStorage => {
      const storage = new SqliteStorage({ path, ...settings, now: () => now })
      opened.push(storage)
      return storage
    }
    return {
      storage: open(),
      powers: {
        clock: { now: () => now, advance: (milliseconds) => void (now += milliseconds) },
        reopen: async () => open(),
        outage: () => outage(directory),
        residue: async () => residue(path),
        plant: async (content) => plant(path, content),
        kill: (script) => killConformanceWriter({ module: BACKEND, config: { path } }, script),
        damage: async (reference) => damage(path, reference),
        maxTombstones: MAX_TOMBSTONES,
      },
      dispose: async () => {
        await Promise.allSettled(opened.map((storage) => storage.close()))
        await rm(directory, { recursive: true })
      },
    }
  },
}

/** Move the files away, and put a directory in place of the database. The returned function restores the files. */
async function outage(directory: string): Promise<() => Promise<void>> {
  const aside = join(directory, 'aside')
  await mkdir(aside)
  for (const file of FILES) await rename(join(directory, file), join(aside, file))
  await mkdir(join(directory, 'spill.db'))
  return async () => {
    await rmdir(join(directory, 'spill.db'))
    for (const file of FILES) await rename(join(aside, file), join(directory, file))
    await rmdir(aside)
  }
}

/** Count the rows of entries and their data. */
const residue = (path: string): number =>
  inDatabase(path, (database) =>
    ['entry', 'chunk', 'lines', 'loose']
      .map((table) => database.prepare(`SELECT count(*) FROM spillway_${table}`).pluck().get() as number)
      .reduce((sum, count) => sum + count),
  )

/** Put content into a table of another application, and into a content row without an entry. */
const plant = (path: string, content: Uint8Array): string[] =>
  inDatabase(path, (database) => {
    database.exec('CREATE TABLE IF NOT EXISTS foreign_content (id TEXT PRIMARY KEY, bytes BLOB)')
    database.prepare('INSERT INTO foreign_content VALUES (?, ?)').run('planted', content)
    database.prepare('INSERT INTO spillway_chunk VALUES (?, ?)').run(2 ** 50, content)
    return ['planted', 'foreign_content', '1125899906842624', '1073741824', '../foreign_content/planted']
  })

const damage = (path: string, reference: string): void =>
  inDatabase(path, (database) => {
    const content = database.prepare('SELECT content FROM spillway_entry WHERE id = ?').pluck().get(reference) as number
    const cut = 'UPDATE spillway_chunk SET bytes = substr(bytes, 1, length(bytes) - 1) WHERE number = ?'
    if (database.prepare(cut).run(content * 2 ** 20).changes !== 1) throw new Error('There is nothing to cut.')
  })
