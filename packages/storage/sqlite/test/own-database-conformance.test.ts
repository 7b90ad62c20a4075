import { wrappedOptions } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import type { ConformanceHarness } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SqliteStorage } from '../src/index.ts'
import { MAX_TOMBSTONES } from '../src/entries.ts'

/** The storage in a caller's database with default settings, which is not in WAL mode. */
const ownDatabaseHarness: ConformanceHarness = {
  name: '@spillway/sqlite in a database of the caller',
  settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'],
  timeoutMs: 120_000,
  async create(settings) {
    const directory = await mkdtemp(join(tmpdir(), 'spillway-conformance-'))
    const database = new Database(join(directory, 'app.db'))
    database.pragma('synchronous = OFF')
    let now = Date.now()
    const open = (): SqliteStorage => new SqliteStorage({ database, ...settings, now: () => now })
    return {
      storage: open(),
      powers: {
        clock: { now: () => now, advance: (milliseconds) => void (now += milliseconds) },
        reopen: async () => open(),
        maxTombstones: MAX_TOMBSTONES,
      },
      dispose: async () => {
        database.close()
        await rm(directory, { recursive: true })
      },
    }
  },
}

/** Cases of operations that compete for one connection. All other cases run the same SQL. */
const MEET =
  /^(?:abort|clear|concurrency|durability|gc|instances|list|open-entry|stream|undo)\/(?!at-boundaries$|beyond-one-page$|20-mb$)/

storageConformance(ownDatabaseHarness, isFull ? wrappedOptions : { filter: (id) => MEET.test(id) })
