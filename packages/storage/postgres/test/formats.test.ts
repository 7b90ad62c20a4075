import { sharedPostgres } from '@spillway-internal/services'
import { formatFixture, problemsOfFormat, storeFormatSample, type RawData } from '@spillway-internal/storage-suite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PostgresJournal, postgresSchema, PostgresStorage } from '../src/index.ts'
import { ask, dropSchema, newSchema } from './soak-backend.ts'

const FIXTURE = new URL('formats/format-1.json.gz', import.meta.url)
/** The fixture contains the script of this schema. */
const RECORDED = 'spillway_format_fixture'
const TABLES = ['entry', 'chunk', 'pending', 'tombstone', 'event'] as const

const postgres = await sharedPostgres()
const url = postgres.available ? postgres.url : 'postgres://localhost:1/postgres'

/** Record the script that creates the tables of this version, and their rows. */
async function record(): Promise<RawData> {
  await dropSchema(url, RECORDED)
  const [storage, journal] = [
    new PostgresStorage(url, { schema: RECORDED, ttlMs: 1, now: () => 0 }),
    new PostgresJournal(url, { schema: RECORDED }),
  ]
  await storage.store('evicted', new Uint8Array(1), 'text/plain', { metadata: { tool: 'bash' } })
  const later = new PostgresStorage(url, { schema: RECORDED, ttlMs: 1, now: () => 1 })
  await later.gc()
  await storeFormatSample(storage)
  await journal.append({ type: 'retrieval', time: 1, scope: '', mode: 'lines', tokens: 10 })
  const rows = TABLES.map(async (table) => {
    const [row] = await ask<{ rows: unknown }>(url, `SELECT json_agg(t) AS rows FROM "${RECORDED}".${table} AS t`)
    return [table, row?.rows ?? []]
  })
  const data = Object.fromEntries(await Promise.all(rows)) as RawData
  for (const opened of [storage, later, journal]) await opened.close()
  await dropSchema(url, RECORDED)
  return { ...data, script: postgresSchema({ schema: RECORDED }) }
}

describe.skipIf(!postgres.available)('tables of format 1', () => {
  it('are read with their entries, and migrated to the current format', async () => {
    const { script, ...data } = await formatFixture(FIXTURE, record)
    const schema = newSchema('format')
    onTestFinished(() => dropSchema(url, schema).then(() => undefined))
    await ask(url, String(script).replaceAll(RECORDED, schema))
    for (const [table, rows] of Object.entries(data)) {
      const inserted = `INSERT INTO "${schema}".${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::"${schema}".${table}, $1)`
      await ask(url, inserted, [JSON.stringify(rows)])
    }
    const storage = new PostgresStorage(url, { schema })
    onTestFinished(() => storage.close())
    expect(await problemsOfFormat(storage)).toEqual([])
    const [tombstone] = data['tombstone'] as readonly { readonly id: string }[]
    await expect(storage.retrieve(tombstone!.id)).rejects.toMatchObject({
      code: 'evicted',
      message: expect.stringContaining('bash') as unknown,
    })
    const journal = new PostgresJournal(url, { schema })
    onTestFinished(() => journal.close())
    expect(await Array.fromAsync(journal.read())).toMatchObject([{ type: 'retrieval', tokens: 10 }])
  })
})
