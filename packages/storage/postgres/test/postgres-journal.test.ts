import { sharedPostgres } from '@spillway-internal/services'
import type { JournalEvent } from '@spillway/core'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PostgresJournal, PostgresStorage } from '../src/index.ts'
import { ask, dropSchema, newSchema } from './soak-backend.ts'

const postgres = await sharedPostgres()
const url = postgres.available ? postgres.url : 'postgres://localhost:1/postgres'

const event = (time: number, scope = 'a'): JournalEvent => ({
  type: 'retrieval',
  time,
  scope,
  mode: 'lines',
  tokens: 10,
})

async function times(journal: PostgresJournal, since?: number): Promise<number[]> {
  const found: number[] = []
  for await (const { time } of journal.read(since)) found.push(time)
  return found
}

describe('options of PostgresJournal', () => {
  it.each([0, '100', 5n, null])('cannot have %o as the number of events', (maxEvents) => {
    expect(() => new PostgresJournal(url, { maxEvents } as never)).toThrow('maxEvents must be a whole number')
  })
})

describe.skipIf(!postgres.available)('PostgresJournal', () => {
  function schemaOfTest(): string {
    const schema = newSchema('journal')
    onTestFinished(() => dropSchema(url, schema))
    return schema
  }

  it('yields appended events in order, even in later instances, and only since a given time', async () => {
    const schema = schemaOfTest()
    const journal = new PostgresJournal(url, { schema })
    expect(await times(journal)).toEqual([])
    await Promise.all(Array.from({ length: 1_200 }, (_, time) => journal.append(event(time))))
    void journal.append(event(1_200))
    expect(await times(journal)).toEqual(Array.from({ length: 1_201 }, (_, time) => time))
    await journal.close()
    const later = new PostgresJournal(url, { schema })
    expect(await times(later, 1_199)).toEqual([1_199, 1_200])
    await later.close()
  })

  it('shares the tables and the pool of a storage, and the table with other journals', async () => {
    const schema = schemaOfTest()
    const pool = new pg.Pool({ connectionString: url, max: 2 })
    onTestFinished(() => pool.end())
    const storage = new PostgresStorage(pool, { schema })
    const journals = [new PostgresJournal(pool, { schema }), new PostgresJournal(url, { schema })]
    const reference = await storage.store('first', new Uint8Array(1))
    await Promise.all(journals.map((journal, time) => journal.append(event(time))))
    await storage.clear()
    for (const journal of journals) {
      expect(new Set(await times(journal))).toEqual(new Set([0, 1]))
      await journal.close()
    }
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('keeps the latest events, and skips events of a later version', async () => {
    const schema = schemaOfTest()
    const journal = new PostgresJournal(url, { schema, maxEvents: 3 })
    for (let time = 0; time < 10; time += 1) await journal.append(event(time))
    await ask(url, `UPDATE "${schema}".event SET event = '{"type":"later","time":8}' WHERE number = 9`)
    expect(await times(journal)).toEqual([7, 9])
    await journal.close()
  })

  it("shows a tenant's role only the events of its own scope", async () => {
    const schema = schemaOfTest()
    const role = `journal_${crypto.randomUUID()}`
    await ask(url, `CREATE ROLE "${role}" LOGIN`)
    onTestFinished(() => ask(url, `DROP OWNED BY "${role}"; DROP ROLE "${role}"`).then(() => undefined))
    const owner = new PostgresStorage(url, { schema, rowLevelSecurity: true })
    await owner.grantScope(role, 'a')
    const all = new PostgresJournal(url, { schema })
    const tenantUrl = Object.assign(new URL(url), { username: role }).href
    const own = new PostgresJournal(tenantUrl, { schema, createTables: false })
    for (const [time, scope] of ['', 'a', 'ab', 'a/b', 'b'].entries()) await all.append(event(time, scope))
    await own.append(event(5, 'a'))
    expect(await times(own)).toEqual([1, 3, 5])
    await expect(own.append(event(6, 'b'))).rejects.toMatchObject({ code: 'unavailable', retryable: false })
    for (const opened of [owner, all, own]) await opened.close()
  })

  it('rejects if the server is unreachable, and if its options are wrong', async () => {
    const journal = new PostgresJournal('postgres://localhost:1/postgres')
    await expect(journal.append(event(1))).rejects.toMatchObject({ code: 'unavailable' })
    await journal.close()
    expect(() => new PostgresJournal(url, { maxEvent: 0 } as object)).toThrow('maxEvent')
    expect(() => new PostgresJournal('localhost')).toThrow('A URL of PostgreSQL is written')
  })
})
