import { countOperations } from '@spillway-internal/storage-suite'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { SqliteStorage } from '../src/index.ts'
import { temporaryPath } from './support/temporary-path.ts'

/** Statements of each operation. A change is one transaction, and a read needs none. */
const STATEMENTS: Readonly<Record<string, string>> = {
  // Every transaction and every read first reads the owner's timeout.
  store: '1 BEGIN, 1 COMMIT, 1 PRAGMA, 2 INSERT',
  'store again': '1 BEGIN, 1 COMMIT, 1 INSERT, 1 PRAGMA, 1 UPDATE',
  retrieve: '1 PRAGMA, 2 SELECT',
  range: '2 PRAGMA, 2 SELECT',
  stat: '1 PRAGMA, 2 SELECT',
  missing: '2 SELECT, 3 PRAGMA',
  'end of a turn': '',
  delete: '1 BEGIN, 1 COMMIT, 1 PRAGMA, 4 DELETE',
}

it('SqliteStorage runs no more statements than each guarantee requires', async () => {
  const statements: string[] = []
  const verbose = (sql: unknown): unknown => statements.push(/^\w+/.exec(String(sql))?.[0] ?? '')
  // If the owner has no timeout, none must be turned off.
  const database = new Database(await temporaryPath(), { verbose, timeout: 0 })
  onTestFinished(() => void database.close())
  const scope = new SqliteStorage(database).scope('tenant', 'session')
  const content = new Uint8Array(100_000).fill(65)
  // Content numbers are reserved for several stores at once.
  for (let index = 0; index < 4; index++) await scope.retrieve(await scope.store(`call_0_${index}`, content))
  expect(await countOperations(scope, statements)).toEqual(STATEMENTS)
})

it('SqliteStorage needs no pragma in its own file, whose timeout is always off', async () => {
  const storage = new SqliteStorage(await temporaryPath())
  onTestFinished(() => storage.close())
  const content = new Uint8Array(100_000).fill(65)
  await storage.store('key', content)
  const pragma = vi.spyOn(Database.prototype, 'pragma')
  onTestFinished(() => pragma.mockRestore())
  await storage.retrieve(await storage.store('other', content))
  expect(pragma).not.toHaveBeenCalled()
})
