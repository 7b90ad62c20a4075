import { sharedPgBouncer, sharedPostgres } from '@spillway-internal/services'
import pg from 'pg'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresSchema, PostgresStorage, type PostgresStorageOptions } from '../src/index.ts'
import { migrate, SCHEMA_STEPS, withSchema, type Query } from '../src/schema.ts'
import { ask, dropSchema, newSchema } from './soak-backend.ts'

const [postgres, pgbouncer] = await Promise.all([sharedPostgres(), sharedPgBouncer()])
const url = postgres.available ? postgres.url : 'postgres://localhost:1/postgres'
const hello = new TextEncoder().encode('hello')

function schemaOfTest(): string {
  const schema = newSchema('schema')
  onTestFinished(() => dropSchema(url, schema))
  return schema
}

function open(options: PostgresStorageOptions, target = url): PostgresStorage {
  const storage = new PostgresStorage(target, options)
  onTestFinished(() => storage.close())
  return storage
}

const versionOf = async (schema: string): Promise<unknown> =>
  (await ask<{ version: number }>(url, `SELECT version FROM "${schema}".format`)).map(({ version }) => version)

/** Create a role without permissions. */
async function newRole(): Promise<{ readonly role: string; readonly roleUrl: string }> {
  const role = `role_${crypto.randomUUID()}`
  await ask(url, `CREATE ROLE "${role}" LOGIN`)
  onTestFinished(() => ask(url, `DROP OWNED BY "${role}"; DROP ROLE "${role}"`).then(() => undefined))
  return { role, roleUrl: Object.assign(new URL(url), { username: role }).href }
}

describe.skipIf(!postgres.available)('the tables', () => {
  it.each([
    ['a server', url],
    ['PgBouncer', pgbouncer.available ? pgbouncer.url : ''],
  ])('are created once by the first of many storages at %s', async (_, target) => {
    if (target === '') return
    const schema = schemaOfTest()
    const storages = Array.from({ length: 12 }, () => open({ schema }, target))
    await Promise.all(storages.map((storage, index) => storage.store(`key ${index}`, hello)))
    expect(await versionOf(schema)).toEqual([SCHEMA_STEPS.length])
    expect(await Array.fromAsync(storages[0]!.list())).toHaveLength(12)
  })

  it('are created by the printed script, which may run again', async () => {
    const schema = schemaOfTest()
    const storage = open({ schema, createTables: false })
    await expect(storage.store('key', hello)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: false,
      message: expect.stringContaining(`spillway postgres schema --schema ${schema}`) as unknown,
    })
    await ask(url, postgresSchema({ schema }))
    const reference = await storage.store('key', hello)
    const guarded = open({ schema, createTables: false, rowLevelSecurity: true })
    await expect(guarded.retrieve(reference)).rejects.toThrow(`has no policies yet`)
    for (let run = 0; run < 2; run += 1) await ask(url, postgresSchema({ schema, rowLevelSecurity: true }))
    expect((await guarded.retrieve(reference)).content).toEqual(hello)
    expect(await versionOf(schema)).toEqual([SCHEMA_STEPS.length])
  })

  it.each(['a;b', '1a', ''])('have no script for the schema %j, which a storage refuses', (schema) => {
    expect(() => postgresSchema({ schema })).toThrow('schema must be a name')
    expect(() => open({ schema })).toThrow('schema must be a name')
  })

  it('of a newer version are refused, and stay unchanged', async () => {
    const schema = schemaOfTest()
    const reference = await open({ schema }).store('key', hello)
    await ask(url, `UPDATE "${schema}".format SET version = 99`)
    await expect(open({ schema }).retrieve(reference)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/format 99 .* Update @spillway\/postgres/) as unknown,
    })
    expect(await versionOf(schema)).toEqual([99])
  })

  it('cause an outage, not a missing entry, if they are dropped during use', async () => {
    const schema = schemaOfTest()
    const storage = open({ schema })
    const reference = await storage.store('key', hello)
    await dropSchema(url, schema)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await ask(url, 'SELECT FROM pg_namespace WHERE nspname = $1', [schema])).toEqual([])
  })

  it('cannot be created without the right, which the error names', async () => {
    const schema = schemaOfTest()
    const { role, roleUrl } = await newRole()
    const denied = { code: 'unavailable', retryable: false, message: expect.stringContaining('GRANT') as unknown }
    await expect(open({ schema }, roleUrl).store('key', hello)).rejects.toMatchObject(denied)
    await open({ schema }).gc()
    const storage = open({ schema, createTables: false }, roleUrl)
    await expect(storage.store('key', hello)).rejects.toMatchObject(denied)
    await ask(
      url,
      `GRANT USAGE ON SCHEMA "${schema}" TO "${role}"; GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO "${role}"`,
    )
    await expect(storage.store('key', hello)).rejects.toMatchObject(denied)
    await ask(url, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${role}"`)
    expect((await storage.retrieve(await storage.store('key', hello))).content).toEqual(hello)
  })
})

describe.skipIf(!postgres.available)('migration', () => {
  const client = new pg.Client({ connectionString: url })
  let connected: Promise<unknown> | undefined
  afterAll(() => client.end())

  async function inTransaction(schema: string, steps: readonly string[]): Promise<void> {
    await (connected ??= client.connect())
    const query: Query = async (sql, values) => {
      const result: pg.QueryResult | pg.QueryResult[] = await client.query(
        withSchema(sql, schema),
        values && [...values],
      )
      return (Array.isArray(result) ? result.at(-1)?.rows : result.rows) as Awaited<ReturnType<Query>>
    }
    await query('BEGIN')
    try {
      await migrate(query, schema, false, steps)
      await query('COMMIT')
    } catch (error) {
      await query('ROLLBACK')
      throw error
    }
  }

  const LATER = [...SCHEMA_STEPS, "ALTER TABLE @entry ADD COLUMN color text NOT NULL DEFAULT 'blue'"]

  it('upgrades older tables with their entries', async () => {
    const schema = schemaOfTest()
    await open({ schema }).store('key', hello)
    for (let run = 0; run < 2; run += 1) await inTransaction(schema, LATER)
    expect(await ask(url, `SELECT color FROM "${schema}".entry`)).toEqual([{ color: 'blue' }])
    expect(await versionOf(schema)).toEqual([LATER.length])
  })

  it('leaves the tables unchanged if it fails', async () => {
    const schema = schemaOfTest()
    const reference = await open({ schema }).store('key', hello)
    await expect(inTransaction(schema, [...LATER, 'SELECT no_such_function()'])).rejects.toMatchObject({
      code: '42883',
    })
    expect(await versionOf(schema)).toEqual([SCHEMA_STEPS.length])
    expect((await open({ schema }).retrieve(reference)).content).toEqual(hello)
  })
})
